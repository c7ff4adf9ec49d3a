/** Whatever stands behind the gateway may answer anything; what comes through it is a result or a failure. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DISPATCH, streetTo } from '../../test/runs/gateway/street.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import type { ModelCall } from '../model/model-call.ts';
import { NO_COST, TOOL_OUTCOMES, type ToolResult } from '../model/tool.ts';
import {
  type DeskAccount,
  type ModelDesk,
  type ModelProfile,
  type ModelPrompt,
  NO_MODELS,
} from '../ports/language-model.ts';
import { Recall } from '../ports/recall.ts';
import type { CallLimits, Tools } from '../ports/tools.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { callTool, type Dispatch, type Street } from './call-tool.ts';

const RESULT = { call_id: 'call_1', outcome: 'ok', raw: { found: 1 }, spent: NO_COST };

async function answering(answer: () => unknown): Promise<EventBody> {
  const tools = { call: async () => answer() as ToolResult };
  const { event } = await callTool(streetTo(tools), DISPATCH, new Recall(), () => undefined);
  return event;
}

test('a result that fits comes through as it is', async () => {
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

describe('malformed is', () => {
  test.each<[string, unknown]>([
    ['no result at all', undefined],
    ['a bare word', 'ok'],
    ['an outcome nobody knows', { ...RESULT, outcome: 'success' }],
    ['an outcome from a prototype', { ...RESULT, outcome: 'constructor' }],
    ['no outcome', { ...RESULT, outcome: undefined }],
    ['no cost', { ...RESULT, spent: undefined }],
    ['a cost below zero', { ...RESULT, spent: { ...NO_COST, microusd: -5 } }],
    ['a cost that is no number', { ...RESULT, spent: { ...NO_COST, input_tokens: Number.NaN } }],
    ['a cost beyond counting', { ...RESULT, spent: { ...NO_COST, output_tokens: 2 ** 60 } }],
    ['a cost of something else', { ...RESULT, spent: { ...NO_COST, shares: 1 } }],
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
])('a long reason that is %s is cut and made printable', async (_name, answer) => {
  const observed = await answering(answer);
  if (observed.type !== 'step_observed') throw new Error('not observed');
  expect(observed.outcome).toBe('error');
  expect(observed.detail?.startsWith('x\\u0000x')).toBe(true);
  expect(observed.detail?.length).toBeLessThan(20_000);
});

test('whatever is answered or thrown, what comes through fits the journal', async () => {
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
])('what answers no question at all, %s, is an answer all the same', async (_what, answer) => {
  expect(await answering(answer)).toMatchObject({ type: 'step_observed', raw: null });
});

/** An error that looks like one of ours so often, and then throws. */
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
  'an error whose code can be read %i times is an answer all the same',
  async (reads) => {
    const thrown = patient(reads);
    expect(await answering(() => Promise.reject(thrown))).toMatchObject({
      type: 'step_observed',
      raw: null,
      spent: NO_COST,
    });
  },
);

test('a call that fails through a dispatcher counts against the tools behind it', async () => {
  const street = streetTo({ call: () => Promise.reject(new Error('down')) });
  const dispatch = { ...DISPATCH, behind: [{ tool: 'inner', limits: undefined }] };
  const send = (): ReturnType<typeof callTool> => callTool(street, dispatch, new Recall(), () => undefined);
  await send();
  await send();
  expect(street.breakers.refusedUntil('inner', 'acme', 1)).toBe(1_000);
  expect((await send()).event).toMatchObject({ outcome: 'error', unsent: true });
});

test('of the calls that were cleared for one try, one is sent', async () => {
  let sent = 0;
  const street = streetTo({
    call: async (call) => {
      sent += 1;
      return { call_id: call.call_id, outcome: 'ok', raw: {}, spent: NO_COST };
    },
  });
  street.breakers.note('read', 'acme', false, -5_000);
  street.breakers.note('read', 'acme', false, -5_000);
  const send = (): ReturnType<typeof callTool> => callTool(street, DISPATCH, new Recall(), () => undefined);
  const answers = await Promise.all([send(), send()]);
  expect(answers.map(({ event }) => 'unsent' in event)).toEqual([false, true]);
  expect(sent).toBe(1);
});

describe('a call that has to wait', () => {
  const scarce = (concurrency: number): Dispatch => ({ ...DISPATCH, limits: { concurrency } });
  const ok: Tools = { call: async () => RESULT as ToolResult };

  test('one that is not sent after all gives its place back', async () => {
    const rulings = [{ ok: false, reason: 'not now' } as const, { ok: true } as const];
    const permits: Street['infrastructure']['permits'] = () => rulings.shift() ?? { ok: true };
    const street = streetTo(ok, { infrastructure: { permits } });
    const send = (): ReturnType<typeof callTool> => callTool(street, scarce(1), new Recall(), () => undefined);
    expect((await send()).event).toMatchObject({ outcome: 'denied', detail: 'not sent: not now', unsent: true });
    expect((await send()).event).toMatchObject({ outcome: 'ok' });
  });

  test('one that was given a place at once is told nothing by the timer that it has cancelled', async () => {
    const until: Street['timer']['until'] = (_at, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    const street = streetTo(ok, { timer: { until } });
    expect((await callTool(street, scarce(1), new Recall(), () => undefined)).event).toMatchObject({ outcome: 'ok' });
  });

  test('one that finds no place until its time has passed is not sent', async () => {
    const clock = simulatedClock(0);
    const slow = Promise.withResolvers<ToolResult>();
    const street = streetTo({ call: () => slow.promise }, { clock, timer: clock });
    const send = (): ReturnType<typeof callTool> => callTool(street, scarce(1), new Recall(), () => undefined);
    const [first, second] = [send(), send()];
    await expect.poll(() => clock.next()).toBe(10);
    clock.advanceTo(10);
    expect((await second).event).toMatchObject({ outcome: 'error', unsent: true });
    slow.resolve(RESULT as ToolResult);
    expect((await first).event).toMatchObject({ outcome: 'ok' });
    expect(clock.next()).toBeNull();
  });

  test('one that has waited beyond the time in which it may be sent is not sent', async () => {
    const clock = simulatedClock(0);
    const street = streetTo({ call: () => expect.unreachable() }, { clock, timer: clock });
    const waits = { ...DISPATCH, notBefore: 5 };
    const answered = callTool(street, waits, new Recall(), () => undefined);
    clock.advanceTo(20);
    expect((await answered).event).toMatchObject({ outcome: 'error', unsent: true });
  });

  test('one that has waited has its whole time from when it is sent', async () => {
    const clock = simulatedClock(0);
    const slow = Promise.withResolvers<ToolResult>();
    const street = streetTo({ call: () => slow.promise }, { clock, timer: clock });
    const answered = callTool(street, { ...DISPATCH, notBefore: 5 }, new Recall(), () => undefined);
    clock.advanceTo(5);
    await expect.poll(() => clock.next()).toBe(1_005);
    slow.resolve(RESULT as ToolResult);
    expect((await answered).event).toMatchObject({ outcome: 'ok' });
  });
});

test('a timer that breaks fails the call that it was to end', async () => {
  const timer = { until: () => Promise.reject(new Error('no clock')) };
  const street = streetTo({ call: () => new Promise(() => undefined) }, { timer });
  await expect(callTool(street, DISPATCH, new Recall(), () => undefined)).rejects.toThrow('no clock');
});

describe('a call that is called back, or whose time is up', () => {
  /** A tool that does as the test says, and keeps what it was given. */
  function outTo(answer: (limits: CallLimits) => Promise<ToolResult>) {
    const clock = simulatedClock(0);
    const recall = new Recall();
    const late: EventBody[] = [];
    let limits: CallLimits | null = null;
    const tools: Tools = {
      call: (_call, given) => {
        limits = given;
        return answer(given);
      },
    };
    const street = streetTo(tools, { clock, timer: clock });
    const answered = callTool(street, DISPATCH, recall, ({ event }) => void late.push(event));
    return { clock, recall, late, answered, given: () => limits as unknown as CallLimits };
  }

  const stopped = ({ signal }: CallLimits): Promise<ToolResult> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

  test('a tool that listens hears that it is called back; nobody waits for what it says to that', async () => {
    const { recall, late, answered, given } = outTo(stopped);
    recall.raise();
    expect((await answered).event).toMatchObject({ outcome: 'cancelled', detail: 'called back' });
    expect(given().signal.reason).toMatchObject({ name: 'AbortError' });
    expect(late).toEqual([]);
  });

  test('a tool that listens hears that its time is up', async () => {
    const { clock, answered, given } = outTo(stopped);
    clock.advanceTo(1_000);
    expect((await answered).event).toMatchObject({ outcome: 'timeout', detail: 'no answer within 1000 ms' });
    expect(given().signal.reason).toMatchObject({ message: 'the call is over' });
  });

  test('a signal that is asked for when the call is over is raised already', async () => {
    const { answered, given, clock } = outTo(async () => RESULT as ToolResult);
    expect((await answered).event).toMatchObject({ outcome: 'ok' });
    expect(given().signal).toMatchObject({ aborted: true, reason: { message: 'the call is over' } });
    expect(clock.next()).toBeNull();
  });

  test('a signal that is asked for when the call was called back is raised already', async () => {
    const { answered, given, recall } = outTo(() => new Promise(() => undefined));
    recall.raise();
    await answered;
    expect(given().signal).toMatchObject({ aborted: true, reason: { name: 'AbortError' } });
  });

  test('what is answered after the time was up is heard late, and ends nothing', async () => {
    const slow = Promise.withResolvers<ToolResult>();
    const { clock, answered, late } = outTo(() => slow.promise);
    clock.advanceTo(1_000);
    expect((await answered).event).toMatchObject({ outcome: 'timeout' });
    slow.resolve(RESULT as ToolResult);
    await slow.promise;
    await Promise.resolve();
    expect(late).toMatchObject([{ type: 'answer_came_late', call_id: 'call_1', outcome: 'ok', raw: { found: 1 } }]);
  });

  test('a desk is opened for a tool that asks models, once, and for no other', async () => {
    const opened: AbortSignal[] = [];
    const openDesk: NonNullable<Street['openDesk']> = (_allowance, signal) => {
      opened.push(signal);
      return { desk: NO_MODELS, account: () => ({ calls: [], blobs: [], spent: NO_COST }) };
    };
    const asks: Tools = {
      call: async (_call, { models, signal }) => {
        expect([models.left(), signal]).toEqual([NO_COST, opened[0]]);
        return RESULT as ToolResult;
      },
    };
    await callTool(
      streetTo({ call: async () => RESULT as ToolResult }, { openDesk }),
      DISPATCH,
      new Recall(),
      () => undefined,
    );
    expect(opened).toEqual([]);
    const { event } = await callTool(streetTo(asks, { openDesk }), DISPATCH, new Recall(), () => undefined);
    expect(event).toMatchObject({ outcome: 'ok' });
    expect(opened).toHaveLength(1);
  });

  test.each([
    ['an answer', false, 'ok'],
    ['no answer in time', true, 'timeout'],
  ] as const)('what was asked of models is charged with %s, all at one desk', async (_name, silent, outcome) => {
    const clock = simulatedClock(0);
    let desks = 0;
    const openDesk: NonNullable<Street['openDesk']> = () => {
      const calls: ModelCall[] = [];
      const ask: ModelDesk['ask'] = async () => {
        calls.push({} as ModelCall);
        return { ok: false, fault: new Fault('model_refused', 'no') };
      };
      desks += 1;
      const account = (): DeskAccount => ({ calls, blobs: [], spent: { ...NO_COST, microusd: calls.length } });
      return { desk: { left: () => NO_COST, ask }, account };
    };
    const asks: Tools = {
      call: async (_call, limits) => {
        for (let times = 0; times < 2; times += 1) await limits.models.ask({} as ModelProfile, {} as ModelPrompt);
        if (silent) clock.advanceTo(1_000);
        return silent ? await new Promise(() => undefined) : (RESULT as ToolResult);
      },
    };
    const street = streetTo(asks, { clock, timer: clock, openDesk });
    const { event } = await callTool(street, DISPATCH, new Recall(), () => undefined);
    expect(event).toMatchObject({ outcome, spent: { microusd: 2 }, calls: [{}, {}] });
    expect(desks).toBe(1);
  });
});
