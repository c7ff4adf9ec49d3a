/** A policy request contains what the run knows: identity, arguments, provenance, evidence and remaining budget. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { CallRequest } from '../../../src/model/policy/policy-request.ts';
import { scriptedPlanner } from '../../../src/testing/scripted-planner.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';
import { CHANGES, codeAuthorizer } from './bench.ts';

/** Returns the requests about each tool, in order. */
async function requestsOf(
  options: RigOptions,
  request: JsonObject = {},
): Promise<(tool: string) => readonly CallRequest[]> {
  const rules = codeAuthorizer(() => 'permit');
  const bench = rig({ ...options, world: { ...options.world, policy: { calls: rules } } });
  const outcome = await bench.invoke(request);
  const calls = rules.requests.filter((request): request is CallRequest => request.action === 'call_tool');
  // Replay makes the same requests.
  expect((await bench.runtime.records.replay(outcome.runId)).turns).not.toEqual([]);
  return (tool) => calls.filter(({ resource }) => resource.name === tool);
}

const BOUND = planOf([
  { id: 'a', tool: 'look', params: { q: 'x' } },
  {
    id: 'b',
    tool: 'pay',
    depends_on: ['a'],
    params: { to: { $from: 'a', path: '/iban' }, list: [1, { $from: 'a', path: '/n' }] },
  },
]);

test('contains the identity, the tool and the remaining budget', async () => {
  const requests = await requestsOf({
    tools: { act: { produces: ['done'], category: 'payment', hazards: { action: 'refund', rollback: 'cancel it' } } },
    plans: [planOf([{ id: 'a', tool: 'act', approval_mode: 'local_write' }])],
  });
  expect(requests('act')).toMatchObject([
    {
      principal: { agent: 'worker', user: 'agt_worker', roles: ['worker'], tenant: 'tenant_a' },
      resource: {
        mode: 'local_write',
        category: 'payment',
        action: 'refund',
        rollback: 'cancel it',
        blast_radius: null,
      },
      context: { profile: null, environment: 'sandbox', risk: 'low', remaining: { tool_calls: 50 }, approvals: [] },
    },
  ]);
});

test('contains the arguments known at planning, and all of them at dispatch', async () => {
  const execute = (): { iban: string; n: number } => ({ iban: 'DE00', n: 2 });
  const requests = await requestsOf({
    tools: { look: { execute }, pay: { ...CHANGES, produces: ['done'] } },
    plans: [BOUND],
  });
  expect(requests('pay').map(({ context }) => [context.arguments, context.pending])).toEqual([
    [{ list: [1, null] }, ['/to', '/list/1']],
    [{ to: 'DE00', list: [1, 2] }, []],
  ]);
});

test('contains schema defaults both times, so that the decision stands', async () => {
  const input_schema = { type: 'object', properties: { currency: { type: 'string', default: 'EUR' } } };
  const requests = await requestsOf({
    tools: { act: { produces: ['done'], input_schema } },
    plans: [planOf([{ id: 'a', tool: 'act' }])],
  });
  expect(requests('act').map(({ context }) => context.arguments)).toEqual([{ currency: 'EUR' }]);
});

test('contains the provenance of arguments, and whether the plan was made after untrusted text', async () => {
  const execute = (): { iban: string; n: number } => ({ iban: 'DE00', n: 2 });
  const tools = { look: { trusted: false, execute }, pay: { ...CHANGES, produces: ['done'] } };
  const [first] = (await requestsOf({ tools, plans: [BOUND] }))('pay').slice(-1);
  expect(first?.context).toMatchObject({ untrusted: ['/to', '/list/1'], planned_after_untrusted: false });
  const stepwise = await requestsOf({
    tools,
    plans: [
      planOf([{ id: 'a', tool: 'look', params: { q: 'x' } }]),
      planOf([{ id: 'b', tool: 'pay', params: { to: 'DE00' } }], { plan_id: 'plan_2' }),
    ],
    options: { limits: { planning: 'stepwise' } },
  });
  expect(stepwise('pay')[0]?.context).toMatchObject({ untrusted: ['/to'], planned_after_untrusted: true });
});

test('contains untrusted host input when the plan is verified', async () => {
  const plan = planOf([{ id: 'a', tool: 'pay', params: { to: 'DE00', text: 'hi' } }]);
  const planner = scriptedPlanner([plan], { author: 'host', filled: { a: { '/to': 'document' } } });
  const requests = await requestsOf(
    {
      tools: { pay: { ...CHANGES, produces: ['done'] } },
      agent: ({ boundary, ...agent }) => ({
        ...agent,
        boundary: { ...boundary, observations: { ...boundary.observations, untrusted_inputs: ['document'] } },
      }),
      options: { planner } as object,
    },
    { inputs: { document: 'DE00' } },
  );
  expect(requests('pay')[0]?.context).toMatchObject({ untrusted: ['/to'], planned_after_untrusted: false });
});

test('contains the newest comparable evidence of each type, across plans', async () => {
  const answers = [{ holder: 'ann', nested: { a: 1 }, tags: ['x'], mixed: ['x', 1], gone: null }, { holder: 'bob' }];
  const look = { produces: ['account'], execute: () => answers.shift() ?? {} };
  const requests = await requestsOf({
    tools: { look, act: { produces: ['done'] } },
    plans: [
      planOf([{ id: 'a', tool: 'look', params: { q: 1 } }]),
      planOf([{ id: 'b', tool: 'look', params: { q: 2 } }], { plan_id: 'plan_2' }),
      planOf([{ id: 'c', tool: 'act' }], { plan_id: 'plan_3' }),
    ],
    options: { limits: { planning: 'stepwise' } },
  });
  const seen = [...requests('look'), ...requests('act')].map(({ context }) => context.evidence);
  const first = { holder: 'ann', nested: null, tags: ['x'], mixed: null, gone: null };
  expect(seen).toEqual([{}, { account: first }, { account: { holder: 'bob' } }]);
});

test('contains the evidence expected from earlier steps until it arrives', async () => {
  const requests = await requestsOf({
    tools: { look: { produces: ['account', 'budget'] }, read: {}, act: { produces: ['done'] } },
    plans: [
      planOf([
        { id: 'c', tool: 'act', depends_on: ['b'] },
        { id: 'b', tool: 'read', depends_on: ['a'] },
        { id: 'a', tool: 'look' },
      ]),
    ],
  });
  const expected = (tool: string): unknown => requests(tool).map(({ context }) => context.expected);
  expect(expected('look')).toEqual([[]]);
  expect(expected('act')).toEqual([['account', 'budget'], []]);
});
