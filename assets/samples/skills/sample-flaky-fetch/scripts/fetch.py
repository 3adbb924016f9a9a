#!/usr/bin/env python3
"""Fails as a bad network would, then works. The tries of one step are counted in SKILL_SUB_STEP_FOLDER."""
import argparse
import json
import os
import pathlib
import sys

TITLES = [
    "How chains are drawn · 如何绘制调用链",
    "What a milestone is · 什么是里程碑",
    "When a step is retried · 步骤何时重试",
    "Who answers a question · 谁来回答问题",
    "Where a run is kept · 运行保存在哪里",
]


def tries_before():
    folder = os.environ.get("SKILL_SUB_STEP_FOLDER")
    if not folder:
        return None
    file = pathlib.Path(folder) / "fetch-tries"
    before = int(file.read_text()) if file.exists() else 0
    file.write_text(str(before + 1))
    return before


def main():
    parser = argparse.ArgumentParser(prog="fetch.py")
    parser.add_argument("--sources", type=int, default=3)
    parser.add_argument("--failures", type=int, default=1)
    options = parser.parse_args()
    before = tries_before()
    print("Connecting ... 正在连接……", flush=True)
    if before is not None and before < options.failures:
        print(f"ERROR:network_error: The connection was reset (try {before + 1}). 连接被重置（第 {before + 1} 次）。", file=sys.stderr)
        print("HINT: Try again in a few seconds. 请几秒后重试。", file=sys.stderr)
        return 1
    sources = [{"id": index + 1, "title": TITLES[index % len(TITLES)]} for index in range(options.sources)]
    for source in sources:
        print(f"Fetched {source['id']}: {source['title']}")
    print(json.dumps({"ok": True, "tries": 1 if before is None else before + 1, "sources": sources}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
