/** A goal that nothing here can reach is handed back at once, with what stands in the way. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { rig } from '../rig.ts';

const CRITERIA = [{ id: 'flown', statement: 'The parcel was flown in.', rank: 'primary', evidence: 'flight' }];

verifies(
  'terminate:impossible:explain-blocker',
  'no tool can supply it: IMPOSSIBLE, and nobody was asked',
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
    expect(bench.planner.requests).toEqual([]);
    expect(bench.dispatches).toEqual([]);
  },
);

verifies('terminate:impossible:explain-blocker', 'a tool that this identity may not use is no tool', async () => {
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

verifies('terminate:impossible:explain-blocker', 'what is not required does not stand in the way', async () => {
  const bench = rig({
    tools: { walk: { produces: ['done'] } },
    plans: [{ plan_id: 'p', intent: 'work', steps: [{ id: 'a', tool: 'walk' }], decision_checkpoints: [] }],
  });
  const secondary = CRITERIA.map((criterion) => ({ ...criterion, rank: 'secondary' }));
  const primary = { id: 'here', statement: 'It is here.', rank: 'primary', evidence: 'done' };
  await bench.invoke({ goal: { statement: 'Bring it', acceptance_criteria: [primary, ...secondary] } });
  expect(bench.dispatches).toHaveLength(1);
});
