#!/usr/bin/env python3
"""Writes a short report in Markdown and prints it as JSON."""
import argparse
import json
import os
import pathlib
import sys

WORDS = {
    "en": {"points": "Points", "none": "Nothing to report."},
    "zh-CN": {"points": "要点", "none": "没有要报告的内容。"},
}


def write(options):
    words = WORDS[options.language]
    points = list(options.point or [])
    if not sys.stdin.isatty():
        points += [line.strip() for line in sys.stdin.read().splitlines() if line.strip()]
    lines = [f"# {options.title}", ""]
    if points:
        lines += [f"## {words['points']}", ""] + [f"{index}. {point}" for index, point in enumerate(points, 1)]
    else:
        lines.append(words["none"])
    text = "\n".join(lines) + "\n"
    folder = os.environ.get("SKILL_SUB_STEP_FOLDER")
    file = None
    if folder:
        file = str(pathlib.Path(folder) / "report.md")
        pathlib.Path(file).write_text(text, encoding="utf-8")
    print(text)
    print(json.dumps({"ok": True, "title": options.title, "points": len(points), "file": file, "text": text}, ensure_ascii=False))
    return 0


def main():
    parser = argparse.ArgumentParser(prog="main.py")
    commands = parser.add_subparsers(required=True)
    writing = commands.add_parser("write")
    writing.add_argument("--title", required=True)
    writing.add_argument("--language", choices=list(WORDS), default="en")
    writing.add_argument("--point", action="append")
    writing.set_defaults(call=write)
    options = parser.parse_args()
    return options.call(options)


if __name__ == "__main__":
    sys.exit(main())
