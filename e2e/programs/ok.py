"""Prints its arguments as JSON."""
import json
import sys

print(json.dumps({"args": sys.argv[1:]}, ensure_ascii=False))
