import { deepEqual, equal } from 'node:assert/strict';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { PolicyRuling } from '../../../src/model/policy/policy-decision.ts';
import type { PolicyRequest } from '../../../src/model/policy/policy-request.ts';
import type { Authorizer } from '../../../src/ports/authorizer.ts';
import { CHANGES, cedar, PERMIT_ALL } from '../../runs/policy/bench.ts';
import { planOf, type Rig, rig } from '../../runs/rig.ts';
import { type Attack, attack, type Battery } from '../battery.ts';

const FORBID: PolicyRuling = {
  effect: 'forbid',
  determining: ['stricter'],
  reasons: ['over 100'],
  gates: [],
  errors: [],
};
const isOver = ({ action, context }: PolicyRequest): boolean =>
  action === 'call_tool' && Number((context as { arguments?: JsonObject }).arguments?.['amount'] ?? 0) > 100;

const inner = cedar(PERMIT_ALL);
/** The stricter rules of a host: an amount over 100 is forbidden, everything else is for the wrapped engine. */
const stricter = (request: PolicyRequest): PolicyRuling => (isOver(request) ? FORBID : inner.decide(request));
const strict = (change: (ruling: PolicyRuling) => unknown): Authorizer['decide'] => {
  return (request) => (isOver(request) ? change(inner.decide(request)) : inner.decide(request)) as PolicyRuling;
};

class Delegating implements Authorizer {
  readonly version = inner.version;
  decide(request: PolicyRequest): PolicyRuling {
    return stricter(request);
  }
}

const proxied: Authorizer = new Proxy(inner, {
  get: (target, name) => (name === 'decide' ? stricter : Reflect.get(target, name)),
});

/** Ways to put stricter rules around an engine, and to forbid with them. */
const WRAPPERS: Readonly<Record<string, Authorizer>> = {
  'a spread': { ...inner, decide: stricter },
  'a spread with a version of its own': { ...inner, version: 'stricter@1', decide: stricter },
  'an object that inherits': Object.assign(Object.create(inner), { decide: stricter }) as Authorizer,
  'a class': new Delegating(),
  'a proxy': proxied,
  'a changed copy of the ruling': {
    ...inner,
    decide: strict((ruling) => ({ ...ruling, effect: 'forbid', reasons: ['over 100'] })),
  },
  'an error in a copy of the ruling': { ...inner, decide: strict((ruling) => ({ ...ruling, errors: ['over 100'] })) },
  'a change of the ruling itself': {
    ...inner,
    decide: strict((ruling) => Object.assign(ruling, { effect: 'forbid', reasons: ['over 100'] })),
  },
  'an exception': {
    ...inner,
    decide: strict(() => {
      throw new RangeError('over 100');
    }),
  },
  'a promise': { ...inner, decide: strict((ruling) => Promise.resolve(ruling)) },
  'no ruling': { ...inner, decide: strict(() => undefined) },
};

function payingRig(calls: Authorizer, amount: number, bound: boolean): Rig {
  const plan = bound
    ? planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount: { $from: 'a', path: '/amount' } } },
      ])
    : planOf([{ id: 'b', tool: 'pay', params: { amount } }]);
  return rig({
    tools: { look: { execute: () => ({ amount }) }, pay: { ...CHANGES, produces: ['done'] } },
    plans: [plan],
    world: { policy: { calls } },
  });
}

const isPaid = ({ dispatches }: Rig): boolean => dispatches.some(({ tool }) => tool === 'pay');

const wrappedEngines: Attack = {
  name: 'a stricter engine around the shipped one is always asked',
  run: async ({ attempt }) => {
    for (const [name, calls] of Object.entries(WRAPPERS)) {
      for (const bound of [false, true]) {
        await attempt(`${name}, ${bound ? 'an amount known only at the call' : 'an amount in the plan'}`, async () => {
          const bench = payingRig(calls, 500, bound);
          equal((await bench.invoke()).terminalCode, 'PERMISSION_DENIED');
          equal(isPaid(bench), false);
        });
      }
    }
  },
};

const policyText = (condition: string): string =>
  `@id("a") permit (principal, action == Ambit::Action::"call_tool", resource) when { ${condition} };`;
const nested = (text: string, depth: number): string => `${'('.repeat(depth)}${text}${')'.repeat(depth)}`;

/** Policies of one tenant over which the engine would run out of stack. */
const OVERFLOWING: Readonly<Record<string, string>> = {
  '400 sums': policyText(`${'1 + '.repeat(400)}1 == 401`),
  '400 differences': policyText(`${'1 - '.repeat(400)}1 == 1`),
  '400 comparisons': policyText(`${'principal.user.name == "a" || '.repeat(400)}true`),
  '400 conditions': policyText(`true } ${'when { principal.user.name != "a" } '.repeat(400)} when { true`),
  '200 parentheses': policyText(nested('true', 200)),
  '200 parentheses after a comment that ends with a carriage return': policyText(`// \r ${nested('true', 200)}`),
  '400 sums after a comment that ends with a carriage return': policyText(`// \r ${'1 + '.repeat(400)}1 == 401`),
};

const overflowingPolicies: Attack = {
  name: 'a policy over which the engine would fail is refused, and other tenants decide as before',
  run: async ({ attempt, refuses }) => {
    for (const [name, text] of Object.entries(OVERFLOWING)) await refuses(name, () => cedar(text), 'policy_invalid');
    await attempt('another tenant', async () => {
      const bench = payingRig(inner, 50, true);
      deepEqual([(await bench.invoke()).terminalCode, isPaid(bench)], ['SUCCESS', true]);
    });
    await attempt('the largest sum', () => {
      const { version, decide } = cedar(policyText(`${'1 + '.repeat(145)}1 == 146`));
      const bench = payingRig({ version, decide }, 50, false);
      return bench.invoke().then(({ terminalCode }) => equal(terminalCode, 'SUCCESS'));
    });
  },
};

export const policy: Battery = {
  name: 'policy',
  attacks: [
    wrappedEngines,
    overflowingPolicies,
    attack('a wrapped engine still permits, and its run can be derived again', async () => {
      const bench = payingRig({ ...inner, decide: stricter }, 50, true);
      const { runId, terminalCode } = await bench.invoke();
      deepEqual([terminalCode, isPaid(bench)], ['SUCCESS', true]);
      await bench.runtime.records.replay(runId);
    }),
    attack('a wrapper can ask for one more gate', async () => {
      const decide: Authorizer['decide'] = (request) => {
        const ruling = inner.decide(request);
        return isOver(request) ? { ...ruling, gates: [...ruling.gates, 'GATE_BOARD'] } : ruling;
      };
      const bench = payingRig({ ...inner, decide }, 500, true);
      const { pending } = await bench.invoke();
      deepEqual(
        pending.map(({ name }) => name),
        ['GATE_BOARD'],
      );
      equal(isPaid(bench), false);
    }),
    attack('a permit of the wrapped engine is not reused after the wrapper forbids the same call', async () => {
      let forbids = false;
      const decide: Authorizer['decide'] = (request) => (forbids ? FORBID : inner.decide(request));
      const look = (): JsonObject => {
        forbids = true;
        return {};
      };
      const bench = rig({
        tools: { look: { execute: look }, pay: { ...CHANGES, produces: ['done'] } },
        plans: [
          planOf([
            { id: 'a', tool: 'look' },
            { id: 'b', tool: 'pay', depends_on: ['a'], params: { amount: 5 } },
          ]),
        ],
        world: { policy: { calls: { ...inner, decide } } },
      });
      equal((await bench.invoke()).terminalCode, 'PERMISSION_DENIED');
      equal(isPaid(bench), false);
    }),
  ],
};
