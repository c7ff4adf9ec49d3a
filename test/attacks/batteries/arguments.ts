import { deepEqual, equal } from 'node:assert/strict';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { operator, planOf, type Rig, type RigTool, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'string', minLength: 1 },
    amount: { type: 'integer', minimum: 0, maximum: 1_000 },
    note: { type: 'string', default: 'none' },
    more: {},
  },
  required: ['to', 'amount'],
  additionalProperties: false,
};

const PAYS: RigTool = {
  approval_mode: 'local_write',
  side_effect: true,
  produces: ['done'],
  input_schema: SCHEMA,
  retries_max: 0,
};

/** Plans as a compromised planner writes them: any value, of any kind. */
const paying = (params: unknown, tool: RigTool = PAYS): Rig =>
  rig({
    tools: { pay: tool },
    plans: [1, 2, 3].map((n) =>
      planOf([{ id: 'a', tool: 'pay', params: params as JsonObject }], { plan_id: `plan_${n}` }),
    ),
    options: { limits: { onEscalate: 'end' } },
  });

const deep = (depth: number): Json => (depth === 0 ? 1 : [deep(depth - 1)]);
const GOOD = { to: 'ana', amount: 5 };

const throwing = { ...GOOD };
Object.defineProperty(throwing, 'amount', {
  enumerable: true,
  get: () => {
    throw new Error('read');
  },
});
const changing = { ...GOOD };
let reads = 0;
Object.defineProperty(changing, 'amount', {
  enumerable: true,
  get: () => {
    reads += 1;
    return reads % 2 === 0 ? 'all of it' : 5;
  },
});
const cyclic: Record<string, unknown> = { ...GOOD };
cyclic['more'] = cyclic;

/** Arguments that must not reach the tool. */
const REFUSED: Readonly<Record<string, unknown>> = {
  'a key of the prototype': JSON.parse('{"to":"ana","amount":5,"__proto__":{"admin":true}}'),
  'the prototype in a value': { ...GOOD, more: JSON.parse('{"__proto__":{"admin":true}}') },
  'a constructor': { ...GOOD, more: { constructor: { prototype: { admin: true } } } },
  'an inherited argument': Object.create(GOOD),
  'a number as text': { to: 'ana', amount: '5' },
  'a text as number': { to: 5, amount: 5 },
  'a list of one': { to: 'ana', amount: [5] },
  'a true amount': { to: 'ana', amount: true },
  'a missing amount': { to: 'ana' },
  'a null amount': { to: 'ana', amount: null },
  'an undefined amount': { to: 'ana', amount: undefined },
  'a fraction': { to: 'ana', amount: 5.5 },
  'a huge number': { to: 'ana', amount: 1e308 },
  'an infinite number': { to: 'ana', amount: Number.POSITIVE_INFINITY },
  'no number': { to: 'ana', amount: Number.NaN },
  'a bigint': { to: 'ana', amount: 5n },
  'a lone surrogate': { to: '\ud83d', amount: 5 },
  'a lone surrogate as key': { ...GOOD, more: { '\udc00': 1 } },
  'values in each other': { ...GOOD, more: deep(100) },
  'values that are too deep for the stack': { ...GOOD, more: deep(5_000) },
  'too many values': { ...GOOD, more: Array.from({ length: 1_000_001 }, () => 0) },
  'a text that is too long': { ...GOOD, more: 'x'.repeat(1_048_577) },
  'a key that is too long': { ...GOOD, more: { ['k'.repeat(1_025)]: 1 } },
  'a cycle': cyclic,
  'an unknown argument': { ...GOOD, amount_override: 1_000_000 },
  'an argument in another case': { ...GOOD, Amount: 1_000 },
  'a date': { ...GOOD, more: new Date(0) },
  'a map': { ...GOOD, more: new Map([['admin', true]]) },
  'a function': { ...GOOD, more: () => 1 },
  'a symbol': { ...GOOD, more: Symbol('x') },
  'a getter that throws': throwing,
  'a getter that changes': changing,
  'a revoked proxy': (() => {
    const { proxy, revoke } = Proxy.revocable({ ...GOOD }, {});
    revoke();
    return proxy;
  })(),
  'a list instead of an object': ['ana', 5],
  'a text instead of an object': 'to=ana&amount=5',
};

const refusedArguments: Attack = {
  name: 'arguments that are no plain data of the schema do not reach the tool',
  run: async ({ attempt }) => {
    for (const [name, params] of Object.entries(REFUSED)) {
      await attempt(name, async () => {
        const bench = paying(params);
        const { status } = await bench.invoke();
        deepEqual([bench.dispatches.length, status], [0, 'failed']);
        equal((Object.prototype as { admin?: true }).admin, undefined);
      });
    }
  },
};

/** Answers of a tool, which are untrusted too. */
const ANSWERS: Readonly<Record<string, () => unknown>> = {
  'a key of the prototype': () => JSON.parse('{"__proto__":{"admin":true}}'),
  'a getter that throws': () => throwing,
  'a proxy that counts for ever': () =>
    new Proxy([], { get: (list, name) => (name === 'length' ? 2 ** 31 : Reflect.get(list, name)) }),
  'a cycle': () => cyclic,
  'values in each other': () => deep(5_000),
  'a bigint': () => ({ amount: 5n }),
  'a class': () => new (class Answer {})(),
  'a function': () => () => 1,
  'a text whose JSON is longer than any string': () => ({
    a: '\u0001'.repeat(60_000_000),
    b: '\u0001'.repeat(60_000_000),
  }),
  'an object with toJSON': () => ({ toJSON: () => 'other' }),
  'a lone surrogate': () => ['\udc00'],
  'an error that throws when it is read': () => {
    throw new Proxy(new Error('x'), {
      get: () => {
        throw new Error('read');
      },
    });
  },
};

const hostileAnswers: Attack = {
  name: 'an answer that is no plain data is recorded as a failure, and its call is made once',
  run: async ({ attempt }) => {
    for (const [name, answer] of Object.entries(ANSWERS)) {
      await attempt(name, async () => {
        const bench = paying(GOOD, {
          ...PAYS,
          idempotency: { kind: 'none' },
          execute: answer as RigTool['execute'] & {},
        });
        const { runId } = await bench.invoke();
        await bench.settle(bench.runtime.resume(runId)).catch(() => undefined);
        const outcomes = (await bench.events(runId)).flatMap((event) =>
          event.type === 'step_observed' ? [event.outcome] : [],
        );
        equal(bench.dispatches.length, outcomes.length);
        equal(outcomes.includes('ok'), false);
      });
    }
  },
};

/** The arguments that the tool received. */
const received = async (bench: Rig): Promise<readonly JsonObject[]> => {
  await bench.invoke();
  return bench.dispatches.map(({ args }) => args);
};

export const args: Battery = {
  name: 'arguments',
  attacks: [
    refusedArguments,
    hostileAnswers,
    attack('a key that is written twice is one argument, checked and sent', async () => {
      const twice = JSON.parse('{"to":"ana","amount":5,"amount":7}') as JsonObject;
      deepEqual(await received(paying(twice)), [{ to: 'ana', amount: 7, note: 'none' }]);
    }),
    attack('a negative zero is sent as zero, as it is hashed', async () => {
      const [sent] = await received(paying({ to: 'ana', amount: -0 }));
      equal(Object.is(sent?.['amount'], 0), true);
    }),
    attack('a default is frozen with the arguments', async () => {
      deepEqual(await received(paying(GOOD)), [{ ...GOOD, note: 'none' }]);
    }),
    attack('a tool cannot change its arguments for the journal or the next attempt', async () => {
      const execute = (input: JsonObject): Json => {
        try {
          (input as Record<string, Json>)['amount'] = 1_000;
        } catch {
          // A frozen object throws in strict mode.
        }
        return { amount: input['amount'] ?? null };
      };
      const bench = paying(GOOD, { ...PAYS, execute });
      const { runId } = await bench.invoke();
      deepEqual(
        bench.dispatches.map(({ args: sent }) => sent),
        [{ ...GOOD, note: 'none' }],
      );
      await bench.runtime.records.replay(runId);
    }),
    attack('a planner that changes its plan after the approval changes nothing', async () => {
      const params = { ...GOOD };
      const bench = paying(params, { ...PAYS, approval_mode: 'destructive', gates: ['GATE_A'] });
      const { pending } = await bench.invoke();
      params.amount = 1_000;
      const [gate] = pending;
      if (gate !== undefined) {
        const yes = { packetHash: gate.packetHash, credential: operator('bo'), reason: 'yes' };
        await bench.settle(bench.runtime.approve(gate.gateId, yes));
      }
      deepEqual(
        bench.dispatches.filter(({ args: sent }) => sent['amount'] !== 5),
        [],
      );
    }),
  ],
};
