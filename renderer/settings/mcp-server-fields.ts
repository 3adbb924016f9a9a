import { McpServer } from '../../shared/settings/settings.ts';

export type McpServerField = 'name' | 'command' | 'url' | 'env' | 'headers' | 'timeout_seconds';
export type McpServerProblem = 'empty' | 'long' | 'noSlash' | 'taken' | 'address' | 'pairs' | 'notPositive' | 'tooLong';

/** What keeps a server from being saved, by field, in the order of the form. `others` = names that are taken. */
export function mcpServerProblems(
  server: McpServer,
  others: readonly string[],
): Partial<Record<McpServerField, McpServerProblem>> {
  const problems: Partial<Record<McpServerField, McpServerProblem>> = {};
  const wrong = new Set(McpServer.safeParse(server).error?.issues.map((issue) => issue.path[0]));
  if (server.name === '') problems.name = 'empty';
  else if (server.name.length > 60) problems.name = 'long';
  else if (wrong.has('name')) problems.name = 'noSlash';
  else if (others.includes(server.name)) problems.name = 'taken';
  // The rule about what a transport needs is only asked once every single field is right.
  if (server.transport === 'stdio' && server.command === '') problems.command = 'empty';
  if (server.transport === 'http' && !/^https?:\/\/[^\s/?#]+/i.test(server.url)) problems.url = 'address';
  if (wrong.has('env')) problems.env = 'pairs';
  if (wrong.has('headers')) problems.headers = 'pairs';
  if (!(server.timeout_seconds > 0)) problems.timeout_seconds = 'notPositive';
  else if (wrong.has('timeout_seconds')) problems.timeout_seconds = 'tooLong';
  return problems;
}

/** `NAME` or `NAME=OTHER` in each line; a line without a sign stands for itself. */
export function readPairs(text: string, sign: '=' | ':'): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf(sign);
    const [name, value] = at === -1 ? [line, line] : [line.slice(0, at), line.slice(at + 1)];
    pairs.push([name.trim(), value.trim()]);
  }
  return Object.fromEntries(pairs);
}

/** The lines that `readPairs` reads. */
export function writePairs(pairs: Readonly<Record<string, string>>, sign: '=' | ':'): string {
  return Object.entries(pairs)
    .map(([name, value]) => (name === value ? name : `${name}${sign === ':' ? ': ' : '='}${value}`))
    .join('\n');
}
