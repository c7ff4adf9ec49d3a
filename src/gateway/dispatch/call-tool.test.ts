/** A tool may answer or throw anything; the gateway always returns a valid observation. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DISPATCH, gatewayDeps } from '../../../test/runs/gateway/gateway-deps.ts';
import type { ModelCall } from '../../model/budget/model-call.ts';
import type { EventBody } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { Fault } from '../../model/fault/fault.ts';
import { NO_COST, TOOL_OUTCOMES, type ToolResult } from '../../model/tool/tool.ts';
import type { CallLimits, Tools } from '../../ports/bound-tool.ts';
import { Cancellation } from '../../ports/cancellation.ts';
import {
  type ModelAccount,
  type ModelClient,
  type ModelProfile,
  type ModelPrompt,
  NO_MODELS,
} from '../../ports/model/language-model.ts';
import { simulatedClock } from '../../testing/simulated-clock.ts';
import { callTool, type Dispatch, type GatewayDeps } from './call-tool.ts';

const RESULT = { call_id: 'call_1', outcome: 'ok', raw: { found: 1 }, spent: NO_COST };

async function answering(answer: () => unknown): Promise<EventBody> {
  const tools = { call: async () => answer() as ToolResult };
  const { event } = await callTool(gatewayDeps(tools), DISPATCH, new Cancellation(), () => undefined);
  return event;
}

test('passes a valid result through unchanged', async () => {
  const spent = { input_tokens: 1, output_tokens: 2, microusd: 3 };
  expect(await answering(() => ({ ...RESULT, spent, detail: 'cached' }))).toEqual({
    type: 'step_observed',
    call_id: 'call_1',
    outcome: 'ok',
    raw: { found: 1 },
    detail: 'cached',
    spent,
  });
});

describe('reports as malformed', () => {
  test.each<[string, unknown]>([
    ['no result at all', undefined],
    ['a bare string', 'ok'],
    ['an unknown outcome', { ...RESULT, outcome: 'success' }],
    ['an outcome from a prototype', { ...RESULT, outcome: 'constructor' }],
    ['no outcome', { ...RESULT, outcome: undefined }],
    ['no cost', { ...RESULT, spent: undefined }],
    ['a cost below zero', { ...RESULT, spent: { ...NO_COST, microusd: -5 } }],
    ['a cost that is no number', { ...RESULT, spent: { ...NO_COST, input_tokens: Number.NaN } }],
    ['a cost beyond the safe integers', { ...RESULT, spent: { ...NO_COST, output_tokens: 2 ** 60 } }],
    ['a cost with an unknown field', { ...RESULT, spent: { ...NO_COST, shares: 1 } }],
    ['a value that is not JSON', { ...RESULT, raw: () => 1 }],
  ])('%s', async (_name, answer) => {
    expect(await answering(() => answer)).toMatchObject({ outcome: 'malformed', raw: null, spent: NO_COST });
  });
});

test.each<[string, () => unknown]>([
  [
    'thrown',
    () => {
      throw new Error('x\u0000'.repeat(500_000));
    },
  ],
  ['returned', () => ({ ...RESULT, outcome: 'error', raw: null, detail: 'x\u0000'.repeat(500_000) })],
])('cuts a long reason that is %s and escapes control characters', async (_name, answer) => {
  const observed = await answering(answer);
  if (observed.type !== 'step_observed') throw new Error('not observed');
  expect(observed.outcome).toBe('error');
  expect(observed.detail?.startsWith('x\\u0000x')).toBe(true);
  expect(observed.detail?.length).toBeLessThan(20_000);
});

test('returns a valid event for any answer and any thrown value', async () => {
  const junk = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
  const nearly = fc.record(
    { outcome: fc.oneof(fc.constantFrom(...TOOL_OUTCOMES), junk), raw: junk, spent: junk, detail: junk },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(junk, nearly), fc.boolean(), async (value, thrown) => {
      const observed = await answering(() => {
        if (thrown) throw value;
        return value;
      });
      expect(parseEventBody(observed)).toEqual(observed);
    }),
  );
});

const trapped = new Proxy(new Error('x'), {
  getPrototypeOf: () => {
    throw new Error('no prototype');
  },
  get: () => {
    throw new Error('no field');
  },
});

test.each<[string, () => unknown]>([
  ['thrown', () => Promise.reject(trapped)],
  [
    'the result',
    () =>
      new Proxy(
        {},
        {
          get: (_, key) => {
            if (key === 'then') return undefined;
            throw trapped;
          },
        },
      ),
  ],
  ['in the result', () => ({ outcome: 'ok', raw: trapped, spent: NO_COST })],
])('returns an observation for a proxy that throws on every read: %s', async (_what, answer) => {
  expect(await answering(answer)).toMatchObject({ type: 'step_observed', raw: null });
});

/** An error that looks like a fault for the first few reads, and then throws. */
function patient(reads: number): Error {
  let left = reads;
  return Object.defineProperties(new Error('x'), {
    name: { value: 'Fault' },
    code: {
      get: () => {
        left -= 1;
        if (left < 0) throw new Error('no more');
        return 'permission_denied';
      },
    },
  });
}

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'returns an observation for an error whose code can be read %i times',
  async (reads) => {
    const thrown = patient(reads);
    expect(await answering(() => Promise.reject(thrown))).toMatchObject({
      type: 'step_observed',
      raw: null,
      spent: NO_COST,
    });
  },
);

test('counts a failure through a dispatcher against the tools behind it', async () => {
  const deps = gatewayDeps({ call: () => Promise.reject(new Error('down')) });
  const dispatch = { ...DISPATCH, behind: [{ tool: 'inner', limits: undefined }] };
  const send = (): ReturnType<typeof callTool> => callTool(deps, dispatch, new Cancellation(), () => undefined);
  await send();
  await send();
  expect(deps.breakers.refusedUntil('inner', 'acme', 1)).toBe(1_000);
  expect((await send()).event).toMatchObject({ outcome: 'error', unsent: true });
});

test('sends only one of two calls that were cleared for a half-open breaker', async () => {
  let sent = 0;
  const deps = gatewayDeps({
    call: async (call) => {
      sent += 1;
      return { call_id: call.call_id, outcome: 'ok', raw: {}, spent: NO_COST };
    },
  });
  deps.breakers.note('read', 'acme', false, -5_000);
  deps.breakers.note('read', 'acme', false, -5_000);
  const send = (): ReturnType<typeof callTool> => callTool(deps, DISPATCH, new Cancellation(), () => undefined);
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ event }) => 'unsent' in event)).toEqual([false, true]);
  expect(sent).toBe(1);
});

describe('a call that has to wait', () => {
  const scarce = (concurrency: number): Dispatch => ({ ...DISPATCH, limits: { concurrency } });
  const ok: Tools = { call: async () => RESULT as ToolResult };

  test('releases its slot if it is refused in the end', async () => {
    const rulings = [{ ok: false, reason: 'not now' } as const, { ok: true } as const];
    const permits: GatewayDeps['infrastructure']['permits'] = () => rulings.shift() ?? { ok: true };
    const deps = gatewayDeps(ok, { infrastructure: { permits } });
    const send = (): ReturnType<typeof callTool> => callTool(deps, scarce(1), new Cancellation(), () => undefined);
    expect((await send()).event).toMatchObject({ outcome: 'denied', detail: 'not sent: not now', unsent: true });
    expect((await send()).event).toMatchObject({ outcome: 'ok' });
  });

  test('ignores the rejection of its cancelled deadline timer', async () => {
    const until: GatewayDeps['timer']['until'] = (_at, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const deps = gatewayDeps(ok, { timer: { until } });
    expect((await callTool(deps, scarce(1), new Cancellation(), () => undefined)).event).toMatchObject({
      outcome: 'ok',
    });
  });

  test('is not sent if no slot is free before its deadline', async () => {
    const clock = simulatedClock(0);
    const slow = Promise.withResolvers<ToolResult>();
    const deps = gatewayDeps({ call: () => slow.promise }, { clock, timer: clock });
    const send = (): ReturnType<typeof callTool> => callTool(deps, scarce(1), new Cancellation(), () => undefined);
    const [first, second] = [send(), send()];
    await expect.poll(() => clock.next()).toBe(10);
    clock.advanceTo(10);
    expect((await second).event).toMatchObject({ outcome: 'error', unsent: true });
    slow.resolve(RESULT as ToolResult);
    expect((await first).event).toMatchObject({ outcome: 'ok' });
    expect(clock.next()).toBeNull();
  });

  test('is not sent after its deadline', async () => {
    const clock = simulatedClock(0);
    const deps = gatewayDeps({ call: () => expect.unreachable() }, { clock, timer: clock });
    const waits = { ...DISPATCH, notBefore: 5 };
    const answered = callTool(deps, waits, new Cancellation(), () => undefined);
    clock.advanceTo(20);
    expect((await answered).event).toMatchObject({ outcome: 'error', unsent: true });
  });

  test('gets its full timeout, counted from dispatch', async () => {
    const clock = simulatedClock(0);
    const slow = Promise.withResolvers<ToolResult>();
    const deps = gatewayDeps({ call: () => slow.promise }, { clock, timer: clock });
    const answered = callTool(deps, { ...DISPATCH, notBefore: 5 }, new Cancellation(), () => undefined);
    clock.advanceTo(5);
    await expect.poll(() => clock.next()).toBe(1_005);
    slow.resolve(RESULT as ToolResult);
    expect((await answered).event).toMatchObject({ outcome: 'ok' });
  });
});

test('fails the call if its timeout timer fails', async () => {
  const timer = { until: () => Promise.reject(new Error('no clock')) };
  const deps = gatewayDeps({ call: () => new Promise(() => undefined) }, { timer });
  await expect(callTool(deps, DISPATCH, new Cancellation(), () => undefined)).rejects.toThrow('no clock');
});

describe('a call that is recalled or times out', () => {
  /** Sends a call to a tool that answers as the test says, and captures its limits. */
  function outTo(answer: (limits: CallLimits) => Promise<ToolResult>) {
    const clock = simulatedClock(0);
    const recall = new Cancellation();
    const late: EventBody[] = [];
    let limits: CallLimits | null = null;
    const tools: Tools = {
      call: (_call, given) => {
        limits = given;
        return answer(given);
      },
    };
    const deps = gatewayDeps(tools, { clock, timer: clock });
    const answered = callTool(deps, DISPATCH, recall, ({ event }) => void late.push(event));
    return { clock, recall, late, answered, given: () => limits as unknown as CallLimits };
  }

  const stopped = ({ signal }: CallLimits): Promise<ToolResult> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

  test('aborts the signal on a recall and ignores the resulting error', async () => {
    const { recall, late, answered, given } = outTo(stopped);
    recall.cancel();
    expect((await answered).event).toMatchObject({ outcome: 'cancelled', detail: 'called back' });
    expect(given().signal.reason).toMatchObject({ name: 'AbortError' });
    expect(late).toEqual([]);
  });

  test('aborts the signal on a timeout', async () => {
    const { clock, answered, given } = outTo(stopped);
    clock.advanceTo(1_000);
    expect((await answered).event).toMatchObject({ outcome: 'timeout', detail: 'no answer within 1000 ms' });
    expect(given().signal.reason).toMatchObject({ message: 'the call is over' });
  });

  test('returns an aborted signal if it is first read after the call has ended', async () => {
    const { answered, given, clock } = outTo(async () => RESULT as ToolResult);
    expect((await answered).event).toMatchObject({ outcome: 'ok' });
    expect(given().signal).toMatchObject({ aborted: true, reason: { message: 'the call is over' } });
    expect(clock.next()).toBeNull();
  });

  test('returns an aborted signal if it is first read after a recall', async () => {
    const { answered, given, recall } = outTo(() => new Promise(() => undefined));
    recall.cancel();
    await answered;
    expect(given().signal).toMatchObject({ aborted: true, reason: { name: 'AbortError' } });
  });

  test('records an answer after the timeout as late', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const { clock, answered, late } = outTo(() => slow.promise);
    clock.advanceTo(1_000);
    expect((await answered).event).toMatchObject({ outcome: 'timeout' });
    slow.resolve(RESULT as ToolResult);
    await slow.promise;
    await Promise.resolve();
    expect(late).toMatchObject([{ type: 'answer_came_late', call_id: 'call_1', outcome: 'ok', raw: { found: 1 } }]);
  });

  test('opens one model client for a tool that uses models, and none for others', async () => {
    const opened: AbortSignal[] = [];
    const openModels: NonNullable<GatewayDeps['openModelClient']> = (_allowance, signal) => {
      opened.push(signal);
      return { client: NO_MODELS, account: () => ({ calls: [], blobs: [], spent: NO_COST }) };
    };
    const asks: Tools = {
      call: async (_call, { models, signal }) => {
        expect([models.left(), signal]).toEqual([NO_COST, opened[0]]);
        return RESULT as ToolResult;
      },
    };
    await callTool(
      gatewayDeps({ call: async () => RESULT as ToolResult }, { openModelClient: openModels }),
      DISPATCH,
      new Cancellation(),
      () => undefined,
    );
    expect(opened).toEqual([]);
    const { event } = await callTool(
      gatewayDeps(asks, { openModelClient: openModels }),
      DISPATCH,
      new Cancellation(),
      () => undefined,
    );
    expect(event).toMatchObject({ outcome: 'ok' });
    expect(opened).toHaveLength(1);
  });

  test.each([
    ['an answer', false, 'ok'],
    ['no answer in time', true, 'timeout'],
  ] as const)('charges the model calls of a tool with %s, through one client', async (_name, silent, outcome) => {
    const clock = simulatedClock(0);
    let clients = 0;
    const openModels: NonNullable<GatewayDeps['openModelClient']> = () => {
      const calls: ModelCall[] = [];
      const ask: ModelClient['ask'] = async () => {
        calls.push({} as ModelCall);
        return { ok: false, fault: new Fault('model_refused', 'no') };
      };
      clients += 1;
      const account = (): ModelAccount => ({ calls, blobs: [], spent: { ...NO_COST, microusd: calls.length } });
      return { client: { left: () => NO_COST, ask, sizeOf: () => 0 }, account };
    };
    const asks: Tools = {
      call: async (_call, limits) => {
        for (let times = 0; times < 2; times += 1) await limits.models.ask({} as ModelProfile, {} as ModelPrompt);
        if (silent) clock.advanceTo(1_000);
        return silent ? await new Promise(() => undefined) : (RESULT as ToolResult);
      },
    };
    const deps = gatewayDeps(asks, { clock, timer: clock, openModelClient: openModels });
    const { event } = await callTool(deps, DISPATCH, new Cancellation(), () => undefined);
    expect(event).toMatchObject({ outcome, spent: { microusd: 2 }, calls: [{}, {}] });
    expect(clients).toBe(1);
  });
});
