import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** What a tool's answer is to a step: its texts, and its structured content or the JSON that its text is. */
export function readAnswer(result: CallToolResult): { text: string; json?: unknown; isError: boolean } {
  const text = result.content
    .map(partText)
    .filter((part) => part !== '')
    .join('\n');
  const json = result.structuredContent ?? jsonOf(text);
  return {
    text: text === '' && json !== undefined ? JSON.stringify(json) : text,
    ...(json === undefined ? {} : { json }),
    isError: result.isError === true,
  };
}

/** The object or list that a text is as a whole; undefined when it is something else. */
export function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function partText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : binary(part.resource.mimeType, part.resource.blob);
    case 'resource_link':
      return part.uri;
    default:
      return binary(part.mimeType, part.data);
  }
}

/** Steps hand on texts; of anything else they hear what it is. */
function binary(type: string | undefined, base64: string): string {
  return `[${type ?? 'application/octet-stream'}, ${Math.floor((base64.length * 3) / 4)} bytes]`;
}
