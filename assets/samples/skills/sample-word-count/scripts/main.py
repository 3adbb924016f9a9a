#!/usr/bin/env python3
"""Counts words, characters and lines of a text. Prints one JSON object."""
import argparse
import json
import platform
import re
import sys

# A Chinese, Japanese or Korean character counts as a word of its own.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def fail(code, message, hint):
    print(f"ERROR:{code}: {message}", file=sys.stderr)
    print(f"HINT: {hint}", file=sys.stderr)
    return 1


def truth(text):
    return text.lower() in ("true", "1", "yes")


def count(options):
    text = options.text if options.text is not None else sys.stdin.read()
    if text.strip() == "":
        return fail("EMPTY_TEXT", "There is nothing to count. 没有可统计的内容。", "Give a text. 请输入文本。")
    words = [word for word in WORD.findall(text) if len(word) >= options.min_length]
    keys = [word.lower() for word in words] if options.ignore_case else words
    result = {
        "words": len(words),
        "different": len(set(keys)),
        "characters": len(text),
        "lines": len(text.splitlines()),
        "longest": max(words, key=len) if words else "",
    }
    if options.show != "all":
        result = {options.show: result[options.show]}
    print(json.dumps(result, ensure_ascii=False))
    return 0


def health(_options):
    print(json.dumps({"ok": True, "python": platform.python_version()}))
    return 0


def main():
    parser = argparse.ArgumentParser(prog="main.py")
    commands = parser.add_subparsers(required=True)
    counting = commands.add_parser("count")
    counting.add_argument("--text")
    counting.add_argument("--min-length", type=int, default=1)
    counting.add_argument("--ignore-case", type=truth, default=False)
    counting.add_argument("--show", choices=["all", "words", "characters", "lines"], default="all")
    counting.set_defaults(call=count)
    commands.add_parser("health").set_defaults(call=health)
    options = parser.parse_args()
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main())
