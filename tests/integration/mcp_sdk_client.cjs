// A client of the official MCP library, told what to do by a test.
//
//   node mcp_sdk_client.cjs MODULES COMMAND [ARGUMENT…]
//
// MODULES is the folder with node_modules; COMMAND is the server to start. One
// JSON object a line on standard input says what to do, one a line on standard
// output says what happened:
//
//   {"list": true}                            {"tools": ["read", …]}
//   {"call": "read", "as": "a", "arguments"}  {"result": …, "as": "a"}
//   {"cancel": "a"}                           {"failed": "…", "as": "a"}
//   {"read": "toolhost://…"}                  {"contents": …}
//                                             {"progress": "…", "as": "a"}
//                                             {"changed": true}
const path = require('node:path');
const readline = require('node:readline');
const { createRequire } = require('node:module');

const [modules, command, ...args] = process.argv.slice(2);
const library = createRequire(path.join(modules, 'package.json'));
const sdk = '@modelcontextprotocol/sdk';
const { Client } = library(`${sdk}/client/index.js`);
const { StdioClientTransport } = library(`${sdk}/client/stdio.js`);
const types = library(`${sdk}/types.js`);

const say = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const calls = new Map();

async function call(client, ask) {
  const abort = new AbortController();
  calls.set(ask.as, abort);
  try {
    const result = await client.callTool(
      { name: ask.call, arguments: ask.arguments ?? {} },
      undefined,
      {
        signal: abort.signal,
        timeout: 120_000,
        resetTimeoutOnProgress: true,
        onprogress: (told) => say({ progress: told.message, as: ask.as }),
      });
    say({ result, as: ask.as });
  } catch (error) {
    say({ failed: String(error.message), as: ask.as });
  }
}

async function take(client, ask) {
  if (ask.call) return call(client, ask);
  if (ask.cancel) return calls.get(ask.cancel).abort('not needed');
  if (ask.read) {
    return say(await client.readResource({ uri: ask.read }));
  }
  const { tools } = await client.listTools();
  return say({ tools: tools.map((tool) => tool.name) });
}

async function main() {
  const folder = process.env.MCP_TEST_ROOT;
  const client = new Client(
    { name: 'sdk-test', version: '1' },
    { capabilities: folder ? { roots: {} } : {} });
  if (folder) {
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({
      roots: [{ uri: `file://${folder}`, name: 'work' }],
    }));
  }
  client.setNotificationHandler(
    types.ToolListChangedNotificationSchema, () => say({ changed: true }));
  await client.connect(new StdioClientTransport({ command, args }));
  say({ server: client.getServerVersion().name });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    take(client, JSON.parse(line)).catch(
      (error) => say({ failed: String(error.message) }));
  }
  await client.close();
  // The library's timers of calls that are not answered keep it running.
  process.exit(0);
}

main().catch((error) => {
  say({ failed: String(error.message) });
  process.exitCode = 1;
});
