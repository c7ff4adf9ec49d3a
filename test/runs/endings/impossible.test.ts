/** Tests that a goal no tool can meet ends at once and names the blocker. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { rig } from '../rig.ts';

const CRITERIA = [{ id: 'flown', statement: 'The parcel was flown in.', rank: 'primary', evidence: 'flight' }];

verifies(
  'terminate:impossible:explain-blocker',
  'ends with IMPOSSIBLE before planning if no tool supplies the evidence',
  async () => {
    const bench = rig({ tools: { walk: { produces: ['done'] } } });
    const outcome = await bench.invoke({ goal: { statement: 'Fly it in', acceptance_criteria: CRITERIA } });
    expect(outcome).toMatchObject({ status: 'failed', terminalCode: 'IMPOSSIBLE', reason: 'capability_missing' });
    expect((await bench.events(outcome.runId)).at(-1)).toMatchObject({
      detail: {
        criterion: 'flown',
        evidence: 'flight',
        blocker: expect.stringContaining('no tool of this run supplies flight'),
      },
    });
    expect(outcome.text).toBe(
      'I cannot do this. I have no means for this: The parcel was flown in. I can help with: Do the work.',
    );
    expect(bench.planner.requests).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

verifies('terminate:impossible:explain-blocker', 'does not count a tool that the identity may not use', async () => {
  const bench = rig({
    tools: { fly: { produces: ['flight'] }, walk: { produces: ['done'] } },
    agent: (agent) => ({
      ...agent,
      access: { ...agent.access, tool_scopes: { walk: ['all'], fly: ['pilot'] } },
    }),
  });
  const outcome = await bench.invoke({ goal: { statement: 'Fly it in', acceptance_criteria: CRITERIA } });
  expect(outcome).toMatchObject({ terminalCode: 'IMPOSSIBLE' });
  expect((await bench.events(outcome.runId)).at(-1)).toMatchObject({ detail: { withheld: ['fly'] } });
  expect(outcome.why).toContainEqual(expect.stringMatching(/^fly .* scope pilot/));
});

verifies('terminate:impossible:explain-blocker', 'a secondary criterion does not block the run', async () => {
  const bench = rig({
    tools: { walk: { produces: ['done'] } },
    plans: [{ plan_id: 'p', intent: 'work', steps: [{ id: 'a', tool: 'walk' }], decision_checkpoints: [] }],
  });
  const secondary = CRITERIA.map((criterion) => ({ ...criterion, rank: 'secondary' }));
  const primary = { id: 'here', statement: 'It is here.', rank: 'primary', evidence: 'done' };
  await bench.invoke({ goal: { statement: 'Bring it', acceptance_criteria: [primary, ...secondary] } });
  expect(bench.dispatches).toHaveLength(1);
});
