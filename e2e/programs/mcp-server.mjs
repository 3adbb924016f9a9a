#!/usr/bin/env node
/**
 * A server of tools, on its standard streams or (`--http PORT`, 0 = any) at an address of this machine.
 * `--silent`: never answers. `--noise`: prints text between its messages. `--exit N`: ends at its start. `--deaf`: ends
 * neither with its input nor by SIGTERM.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const options = process.argv.slice(2);
const optionOf = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined);
const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });

if (options.includes('--deaf')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (options.includes('--exit')) {
  console.error('no such table: connection refused');
  process.exit(Number(optionOf('--exit')));
}
if (options.includes('--noise')) console.log('Welcome to the notes server!');
if (options.includes('--silent')) setInterval(() => undefined, 1000);
else if (options.includes('--http')) await serveHttp(Number(optionOf('--http')));
else await createTools().connect(new StdioServerTransport());

function createTools() {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { logging: {} } });
  const tool = (name, inputSchema, work, more = {}) =>
    server.registerTool(name, { description: `The tool ${name}.`, inputSchema, ...more }, work);
  tool('echo', { text: z.string() }, ({ text: said }) => text(said));
  tool(
    'add',
    { a: z.number(), b: z.number() },
    ({ a, b }) => ({ ...text(`${a} + ${b}`), structuredContent: { sum: a + b } }),
    { outputSchema: { sum: z.number() } },
  );
  tool('fail', { text: z.string() }, ({ text: said }) => ({ ...text(said), isError: true }));
  tool('pid', {}, () => text(process.pid));
  tool('environment', {}, () => text(JSON.stringify(process.env)));
  tool('say', { text: z.string() }, ({ text: said }) => {
    console.error(said);
    return text('said');
  });
  tool('die', {}, () => {
    console.error('out of luck');
    process.exit(7);
  });
  // Hears nothing any more, not even that it is called off.
  tool('loop', {}, () => {
    for (;;);
  });
  // Works on until it is called off, and says so in a file.
  tool('wait', { file: z.string() }, async ({ file }, { signal, sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined) {
      const params = { progressToken, progress: 1, total: 3, message: 'waiting' };
      await sendNotification({ method: 'notifications/progress', params });
    }
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    appendFileSync(file, 'called off\n');
    return text('called off');
  });
  // A child in a session of its own that can only be ended by force.
  tool('child', {}, async () => {
    const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready');";
    const child = spawn(process.execPath, ['-e', program], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.unref();
    return text(child.pid);
  });
  return server;
}

async function serveHttp(port) {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    if (request.url === '/cut') return cutOff(request, response);
    if (request.url === '/closed' && request.headers.authorization !== 'Bearer letmein') {
      return response.writeHead(401).end('who are you?');
    }
    let transport = sessions.get(id);
    if (transport === undefined && id !== undefined) return response.writeHead(404).end('no such session');
    if (transport === undefined) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => sessions.set(session, transport),
      });
      await createTools().connect(transport);
    }
    await transport.handleRequest(request, response);
  });
  server.listen(port, '127.0.0.1', () => console.log(`PORT ${server.address().port}`));
}

/** Answers everything but the call of a tool, whose answer it begins and cuts off. */
async function cutOff(request, response) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const parts = [];
  for await (const part of request) parts.push(part);
  const { id, method } = JSON.parse(Buffer.concat(parts).toString());
  if (id === undefined) return response.writeHead(202).end();
  if (method === 'tools/call') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': wait\n\n');
    setTimeout(() => response.destroy(), 20);
    return;
  }
  const results = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'cut', version: '1' },
    },
    'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
}
