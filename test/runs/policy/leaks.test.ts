/** Cases that a profile stops after each action was permitted: a leaked secret, failed tests, an ungrounded claim. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { answered, proposed, turns } from '../endings/turns.ts';
import { planOf } from '../rig.ts';
import {
  CHANGES,
  callAfterLookup,
  eventsOf,
  invokeOneCall,
  SHIPPED,
  toolForAction,
  underProfile,
  WAITING,
} from './bench.ts';

verifies(
  'boundary:profile-coding:workspace-bounded',
  'runs a sandbox test, gates a push, and stops on failed tests after a draft and on a secret',
  async () => {
    expect((await invokeOneCall('coding', toolForAction('run_sandbox_test'))).outcome.terminalCode).toBe('SUCCESS');
    expect((await callAfterLookup('coding', toolForAction('push', CHANGES))).outcome).toMatchObject(WAITING);

    const red = underProfile(
      'coding',
      {
        draft: toolForAction('write_permitted_draft', CHANGES),
        test: toolForAction('run_sandbox_test', { produces: ['test_report'], execute: () => ({ passed: false }) }),
        read: toolForAction('read_file', { produces: ['done'] }),
      },
      [
        { id: 'a', tool: 'draft' },
        { id: 'b', tool: 'test', depends_on: ['a'] },
        { id: 'c', tool: 'read', depends_on: ['b'] },
      ],
    );
    const halted = await red.invoke();
    expect(halted.suspended?.code ?? halted.terminalCode).toBe('PERMISSION_DENIED');
    expect(red.dispatches.map(({ tool }) => tool)).toEqual(['draft', 'test']);

    const key = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
    const leak = await invokeOneCall(
      'coding',
      toolForAction('read_file', { execute: () => ({ text: `aws = ${key}` }) }),
    );
    expect(leak.outcome.terminalCode).toBe('UNSAFE_DETECTION');
    const [ended] = eventsOf(await leak.bench.events(leak.outcome.runId), 'run_terminated');
    expect(JSON.stringify(ended)).not.toContain(key);
  },
);

verifies(
  'boundary:profile-research:read-only-high-autonomy',
  'reads an approved source, gates a paid one, and never releases an ungrounded claim',
  async () => {
    expect((await invokeOneCall('research', toolForAction('browse_approved_source'))).outcome.terminalCode).toBe(
      'SUCCESS',
    );
    expect((await invokeOneCall('research', toolForAction('paid_external_lookup', CHANGES))).outcome).toMatchObject(
      WAITING,
    );

    const claims = [{ statement: 'The paper was withdrawn.', observation: 'ev_7' }];
    const run = turns({
      tools: { read: toolForAction('retrieve_document', { produces: ['done'] }) },
      agent: (agent) => ({
        ...agent,
        intents: agent.intents.map((intent) => ({ ...intent, risk: 'high' })),
        boundary: { ...agent.boundary, profile: 'research' },
      }),
      world: { policy: { calls: SHIPPED } },
      change: ({ local }) => ({
        local: (state, effect) =>
          effect.kind === 'compile_response'
            ? { event: { type: 'response_compiled', claims, text: 'The paper was withdrawn.' }, blobs: [] }
            : local(state, effect),
      }),
    });
    run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
    run.say(answered(run));
    expect(run.state.ending).toMatchObject({
      response: null,
      terminal: { code: 'VALIDATION_FAIL', reason: 'grounding_violation' },
    });
  },
);
