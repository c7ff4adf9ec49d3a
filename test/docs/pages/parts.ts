/** Real parts that pages need: a model server behind `anthropic(…)`, and answers of the model. */
import { type ModelServer, modelServer } from '../../../src/testing/index.ts';

type Turn = Parameters<typeof modelServer>[0][number];

export const plan = (...steps: readonly object[]): object => ({ steps, decision_checkpoints: [] });

export const step = (tool: string, params: object = {}, id = 's1'): object => ({ id, tool, params });

export const answer = (text: string, ...cites: readonly (readonly [ref: string, pointer: string])[]): object => ({
  sentences: [{ text, cites: cites.map(([ref, pointer]) => ({ ref, pointer })) }],
});

/**
 * Starts a server that plays a script, one JSON answer per request, and makes it the address of `anthropic(…)`. Call it
 * before the first block loads the provider.
 */
export async function serveAnthropic(...script: readonly object[]): Promise<ModelServer> {
  const server = await modelServer(script.map((json): Turn => ({ json: json as never })));
  process.env['ANTHROPIC_BASE_URL'] = `${server.url}/v1`;
  process.env['ANTHROPIC_API_KEY'] = 'key';
  return server;
}
