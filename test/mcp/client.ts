/** A real MCP client and the answers it receives. */
import { Client } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../src/model/json/json.ts';

export type Report = JsonObject & { readonly run_id: string; readonly pending: readonly JsonObject[] };

export interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly report: Report;
}

export interface TestClient {
  readonly client: Client;
  ask(name: string, args: JsonObject): Promise<ToolAnswer>;
}

export async function clientOf(connect: (client: Client) => Promise<void>): Promise<TestClient> {
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await connect(client);
  await client.listTools();
  return {
    client,
    ask: async (name, args) => {
      const { isError = false, content, structuredContent } = await client.callTool({ name, arguments: { ...args } });
      const [block] = content;
      return { isError, text: block?.type === 'text' ? block.text : '', report: structuredContent as Report };
    },
  };
}
