/** Whatever a tool throws or answers with is an answer: nothing of it is asked for anything twice, or at all. */
import { expect, test } from 'vitest';
import { sha256 } from '../adapters/node/sha256.ts';
import { NO_COST, type ToolResult } from '../model/tool.ts';
import { simulatedClock } from '../testing/simulated-clock.ts';
import { callTool, type Dispatch } from './call-tool.ts';
import { createBreakers } from './limits/breakers.ts';
import { createRates } from './limits/rates.ts';
import { createSlots } from './limits/slots.ts';

const DISPATCH: Dispatch = {
  call: {
    call_id: 'call_1',
    step_id: 'a',
    tool: 'read',
    args: {},
    args_hash: 'sha256:0',
    idempotency_key: 'key_1',
    attempt: 1,
  },
  limits: undefined,
  behind: [],
  run: { runId: 'run_1', tenantId: 'acme', actor: 'agt', scopes: [] },
  timeoutMs: 1_000,
  notBefore: 0,
  dispatchBefore: 10,
};

async function answering(answer: () => unknown): Promise<unknown> {
  const clock = simulatedClock(0);
  const street = {
    tools: { call: async () => answer() as ToolResult },
    infrastructure: { permits: () => ({ ok: true }) as const },
    clock,
    timer: clock,
    hash: sha256,
    breakers: createBreakers({ failuresMax: 2, openMs: 1_000 }),
    rates: createRates(),
    slots: createSlots(),
  };
  return (await callTool(street, DISPATCH, new AbortController().signal, () => undefined)).event;
}

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

test.each(['success', undefined, 'constructor'])(
  'an outcome %s that nobody knows is malformed, whatever it cost',
  async (outcome) => {
    expect(await answering(() => ({ outcome, raw: 1, spent: NO_COST }))).toMatchObject({
      outcome: 'malformed',
      raw: null,
    });
  },
);

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
