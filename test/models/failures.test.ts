/** Failures between Ambit and a model, through the real provider packages over real HTTP. */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/adapters/ai-sdk/models/connect.ts';
import { modelServer } from '../../src/testing/model-server/model-server.ts';
import { ANSWER_MODES, answered, failed, line, PARAMETERS, PROMPT, sdkModel, WIRES } from './wires.ts';

const NEVER_ABORTED = new AbortController().signal;

describe.for(ANSWER_MODES)('%s, %s', ([wire, mode]) => {
  const streaming = mode === 'streaming';

  test.for([
    [429, 'model_overloaded'],
    [500, 'model_unreachable'],
    [502, 'model_unreachable'],
    [503, 'model_overloaded'],
    [504, 'model_timeout'],
    [529, 'model_overloaded'],
    [408, 'model_timeout'],
    [409, 'model_unreachable'],
    [400, 'model_rejected'],
    [413, 'model_rejected'],
    [422, 'model_rejected'],
    [402, 'model_misconfigured'],
  ] as const)('status %i is %s, and costs nothing', async ([status, code]) => {
    const { ask, model } = await line(wire, [{ status, message: 'so it is' }]);
    const { fault, retryAfterMs, usage } = failed(await ask(PROMPT, { streaming }));
    expect(fault).toMatchObject({ code, message: `${model.id}: so it is (HTTP ${status})` });
    expect([retryAfterMs, usage]).toEqual([0, undefined]);
  });

  test('reports the URL with status 404, because the path may be wrong', async () => {
    const { ask, server } = await line(wire, [{ status: 404, message: 'no such thing' }]);
    const { fault, usage } = failed(await ask(PROMPT, { streaming }));
    expect(fault.code).toBe('model_misconfigured');
    expect(fault.message).toContain(`no such thing (HTTP 404 at ${server.url}/v1/`);
    expect(usage).toBeUndefined();
  });

  test.for([401, 403])('status %i is a rejected key, and the message does not repeat the key', async (status) => {
    const { ask } = await line(wire, [{ status, message: 'Incorrect API key provided: key-secret' }]);
    const { fault } = failed(await ask(PROMPT, { streaming }));
    expect(fault).toMatchObject({ code: 'model_misconfigured', message: expect.stringContaining('the key') });
    expect(`${fault.message} ${String(fault.cause)}`).not.toContain('key-secret');
  });

  test('an account without credit is misconfigured, not overloaded', async () => {
    const raw = JSON.stringify({
      error: { message: 'no credit', type: 'insufficient_quota', code: 'insufficient_quota' },
    });
    const { ask } = await line(wire, [{ status: 429, raw }]);
    expect(failed(await ask(PROMPT, { streaming })).fault.code).toBe('model_misconfigured');
  });

  test('reads retry-after in seconds and as a date, and ignores other values', async () => {
    const busy = { status: 429, message: 'slowly' };
    const soon = new Date(Date.now() + 20_000).toUTCString();
    const { ask } = await line(wire, [
      { ...busy, retryAfter: '7' },
      { ...busy, retryAfter: soon },
      { ...busy, retryAfter: 'tomorrow' },
      { ...busy, retryAfter: 'Thu, 01 Jan 1970 00:00:00 GMT' },
    ]);
    const waits: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) waits.push(failed(await ask(PROMPT, { streaming })).retryAfterMs);
    expect(waits[0]).toBe(7_000);
    expect(waits[1]).toBeGreaterThan(15_000);
    expect(waits[1]).toBeLessThanOrEqual(21_000);
    expect(waits.slice(2)).toEqual([0, 0]);
  });

  test('a connection that is reset at once is unreachable', async () => {
    const { ask } = await line(wire, [{ resets: 'at_once' }]);
    expect(failed(await ask(PROMPT, { streaming }))).toMatchObject({ fault: { code: 'model_unreachable' } });
  });

  test('a connection that is reset in the middle of an answer has a cost', async () => {
    const { ask } = await line(wire, [{ text: 'One, two, three, four.', resets: 'half_way' }]);
    expect(failed(await ask(PROMPT, { streaming }))).toMatchObject({
      fault: { code: 'model_unreachable' },
      usage: { input_tokens: null, output_tokens: null },
    });
  });

  test.for(['at_once', 'half_way'] as const)('an abort ends a request that hangs (%s)', async (hangs) => {
    const { ask, server } = await line(wire, [{ text: 'One, two, three, four.', hangs }]);
    const call = new AbortController();
    const asked = ask(PROMPT, { streaming }, call.signal);
    while (server.requests.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    call.abort();
    expect(failed(await asked)).toMatchObject({ fault: { code: 'model_timeout' } });
  });

  test('sends no request if the caller has already aborted', async () => {
    const { ask, server } = await line(wire, []);
    expect(failed(await ask(PROMPT, { streaming }, AbortSignal.abort())).fault.code).toBe('model_timeout');
    expect(server.requests).toEqual([]);
  });

  test.for(['{"id": "x", "choi', 'not found', '{}', '[]'])('fails on a body that is no answer (%s)', async (raw) => {
    const { ask } = await line(wire, [{ raw }]);
    const { fault } = failed(await ask(PROMPT, { streaming }));
    expect(['model_rejected', 'model_unreachable']).toContain(fault.code);
    if (!streaming) expect(fault.code).toBe('model_rejected');
  });

  test('classifies an error with an unreadable body by its status', async () => {
    const { ask } = await line(wire, [{ status: 503, raw: '<html>upstream</html>' }]);
    expect(failed(await ask(PROMPT, { streaming })).fault.code).toBe('model_overloaded');
  });

  test('the same connection answers after failures', async () => {
    const { ask } = await line(wire, [{ status: 500 }, { resets: 'at_once' }, 'There you are.']);
    failed(await ask(PROMPT, { streaming }));
    failed(await ask(PROMPT, { streaming }));
    expect(answered(await ask(PROMPT, { streaming })).text).toBe('There you are.');
  });
});

test.for(WIRES)('%s: reports the address if no server listens', async (wire) => {
  const server = await modelServer([]);
  await server.close();
  const { fault } = failed(await connect(sdkModel(wire, server.url)).generate(PROMPT, PARAMETERS, NEVER_ABORTED));
  expect(fault.code).toBe('model_unreachable');
  expect(fault.message).toContain(` at ${server.url}/v1/`);
});

test.for(WIRES)('%s: an address without a scheme is misconfigured, not unreachable', async (wire) => {
  const { fault } = failed(
    await connect(sdkModel(wire, 'localhost:11434')).generate(PROMPT, PARAMETERS, NEVER_ABORTED),
  );
  expect(fault.code).toBe('model_misconfigured');
  expect(fault.message).toContain('is no http(s) address: give baseURL one');
});

test.for([
  ['openai', { error: { message: 'too many', type: 'rate_limit_error' } }, 'model_overloaded'],
  ['openai', { error: { message: 'broken', type: 'server_error' } }, 'model_unreachable'],
  ['anthropic', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, 'model_overloaded'],
] as const)('%s: classifies an error inside a stream (%j)', async ([wire, event, code]) => {
  const { server, model } = await line(wire, [{ raw: `event: error\ndata: ${JSON.stringify(event)}\n\n` }]);
  const { fault } = failed(await model.generate(PROMPT, { ...PARAMETERS, streaming: true }, NEVER_ABORTED));
  expect(fault.code).toBe(code);
  expect(server.requests).toHaveLength(1);
});

test('the test server reports unscripted requests and unused turns', async () => {
  const server = await modelServer(['only one']);
  expect(() => server.assertDrained()).toThrow('1 scripted turns were never used');
  const model = connect(sdkModel('openai', server.url));
  answered(await model.generate(PROMPT, PARAMETERS, NEVER_ABORTED));
  server.assertDrained();
  expect(failed(await model.generate(PROMPT, PARAMETERS, NEVER_ABORTED)).fault.message).toContain(
    'request 2 is not scripted',
  );
  expect(() => server.assertDrained()).toThrow('2 requests came, and 1 are scripted');
  await server.close();
});
