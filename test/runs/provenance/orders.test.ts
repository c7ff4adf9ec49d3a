/** A request grants a call only if it orders the action: a question about a value is no order to act on it. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, ambit, type BoundTool, tool } from '../../../src/index.ts';
import { callOrigin } from '../../../src/kernel/query/provenance/call-origin.ts';
import { indexRequest, ordersBy } from '../../../src/kernel/query/provenance/stated-request.ts';
import type { RunState } from '../../../src/kernel/state/run-state.ts';
import { scriptedModel } from '../../../src/testing/index.ts';
import { before, kernelOf } from '../graphs/kernel.ts';
import { planOf, rig } from '../rig.ts';
import { MODE, mailbox, options } from './bench.ts';

const revoked: string[] = [];

const revoke = (requestWords: readonly string[] | null): BoundTool =>
  tool({
    name: 'sessions.revoke',
    description: 'Revokes the sessions of an account',
    approvalMode: 'network',
    inputSchema: z.object({ account: z.string() }),
    outputSchema: z.object({ account: z.string() }),
    execute: (input) => {
      revoked.push(input.account);
      return input;
    },
    risk: requestWords === null ? {} : { requestWords },
  });

/** The gates at which the first message waits if the model plans to revoke the sessions of acc-7. */
async function gatesFor(
  message: string,
  words: readonly string[] | null = ['revoke', 'sign out'],
): Promise<readonly string[]> {
  revoked.length = 0;
  const runtime = ambit({
    agent: agent({
      name: 'support',
      model: scriptedModel([
        { steps: [{ id: 's1', tool: 'sessions.revoke', params: { account: 'acc-7' } }], decision_checkpoints: [] },
        { sentences: [] },
      ]),
      tools: [revoke(words)],
      boundary: 'customer_support',
      budget: 'standard',
      settings: { roles: { agent: 'network' } },
    }),
  });
  const { pending } = await runtime.start({ message, user: { name: 'ada', tenant: 'acme', roles: ['agent'] } }).settled;
  await runtime.close();
  expect(revoked).toEqual(pending.length === 0 ? ['acc-7'] : []);
  return pending.map(({ name }) => name);
}

describe('a call with the stated value waits at its gate', () => {
  test.each([
    'Which sessions are open for acc-7?',
    'Tell me which sessions are open for acc-7',
    'Show me the sessions of acc-7.',
    'Sessions of acc-7, please',
    'Were the sessions of acc-7 revoked?',
    'Explain the steps that revoke acc-7.',
    'Which sessions are open for acc-7? Revoke those of acc-8.',
    'I wonder whether to revoke acc-7.',
    'The note says: "revoke acc-7".',
    'Do not revoke acc-7.',
  ])('if the request is %j', async (message) => {
    expect(await gatesFor(message)).toEqual(MODE);
  });

  test('if the tool declares no request words', async () => {
    for (const words of [null, []]) expect(await gatesFor('Revoke the sessions of acc-7', words)).toEqual(MODE);
  });
});

describe('the call runs without a gate', () => {
  test.each([
    'Revoke the sessions of acc-7',
    'Please revoke the sessions of acc-7.',
    'Could you please revoke the sessions of acc-7?',
    'My account is acc-7. I want you to sign out of all sessions.',
    'Look the sessions of acc-7 up, and then revoke them.',
    'Are sessions of acc-7 open? If so, revoke them.',
  ])('if the request is %j', async (message) => {
    expect(await gatesFor(message)).toEqual([]);
  });
});

test('a run with a call that its request granted verifies and exports', async () => {
  const bench = mailbox([
    planOf([{ id: 's1', tool: 'send', requires: MODE, params: { to: 'team-a', text: 'hello' } }]),
  ]);
  const { runId, terminalCode, record } = await bench.invoke({ goal: { statement: 'Send hello to team-a' } });
  expect(terminalCode).toBe('SUCCESS');
  expect(record?.approvals).toMatchObject([{ basis: 'request' }]);
  expect(await bench.runtime.records.verify()).toMatchObject({ damaged: [] });
  const file = await bench.runtime.records.export(runId);
  expect(await rig({}).runtime.records.import(file)).toMatchObject({ runId });
});

test('earlier messages of a thread order nothing in later ones', () => {
  const earlier = [{ run_id: 'run_1', text: 'Revoke the sessions of acc-7.' }];
  const statements = indexRequest('Which plan is acc-7 on?', {}, [], earlier, 'ordering');
  expect(ordersBy(statements, ['revoke'])).toBe(false);
});

test('a run without the rule keeps the earlier one: the request grants each call whose values it states', async () => {
  const step = { id: 's', tool: 'send', requires: MODE, params: { text: 'See you' } };
  const plans = [planOf([step])];
  const bench = mailbox(plans);
  const { runId, pending } = await bench.invoke({ goal: { statement: 'Did we say "See you"?' } });
  expect(pending.map(({ name }) => name)).toEqual(MODE);
  const env = kernelOf(options(plans));
  const state = before(env, await bench.events(runId), 'step_cleared');
  const { manifest } = state;
  if (manifest === null) throw new Error('the run has no manifest');
  expect(manifest.rules).toContain('requests_order');
  const older = {
    ...state,
    manifest: { ...manifest, rules: manifest.rules?.filter((rule) => rule !== 'requests_order') },
  };
  const call = { args: step.params, argsHash: 'sha256:0' };
  expect(callOrigin(env, state, step, call, false).grant).toBeNull();
  expect(callOrigin(env, older as RunState, step, call, false).grant).toMatchObject({
    leaves: { '/text': 'statement' },
  });
});
