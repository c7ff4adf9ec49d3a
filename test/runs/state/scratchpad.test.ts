/** Scratchpad notes last for one step and are never facts. */
import { expect } from 'vitest';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import type { Planner } from '../../../src/ports/model/planner.ts';
import { verifies } from '../../requirements/verifies.ts';
import { eventsOf } from '../endings/turns.ts';
import { planOf, type RigOptions, rig } from '../rig.ts';

const ID = 'state:scratchpad:step-local-not-truth';

verifies(ID, 'a note is readable in its step, gone in the next, and not in the journal', async () => {
  const seen: (readonly string[])[] = [];
  let noted = '';
  const steps = ['one', 'two'];
  const propose: Planner['propose'] = async ({ attempt }, _signal, _client, _check, pad) => {
    noted = pad.note('maybe the order is a duplicate');
    seen.push(pad.notes().map(({ text }) => text));
    const proposal = planOf([{ id: `s${seen.length}`, tool: steps[seen.length - 1] ?? 'two' }], {
      plan_id: `plan_${attempt}_${seen.length}`,
    });
    return { proposal, author: 'model' as const, spent: NO_COST, contextTokens: 0 };
  };
  const options = {
    planner: { propose },
    limits: { planning: 'stepwise' },
    graph: 'reactive',
  } as unknown as NonNullable<RigOptions['options']>;
  const bench = rig({ tools: { one: {}, two: { produces: ['done'] } }, options });
  const { runId, terminalCode } = await bench.invoke();
  expect(terminalCode).toBe('SUCCESS');
  expect(seen).toEqual([['maybe the order is a duplicate'], ['maybe the order is a duplicate']]);
  expect(noted).toMatch(/^note_/);
  expect(JSON.stringify(await bench.runtime.records.frames(runId))).not.toContain('duplicate');
});

verifies(ID, 'a note cannot justify a state write', async () => {
  const tools = {
    wait: { approval_mode: 'destructive', gates: ['GATE_WAIT'], retries_max: 0 } as const,
    finish: { produces: ['done'] },
  };
  const bench = rig({
    tools,
    plans: [
      planOf([
        { id: 'a', tool: 'wait', requires: ['GATE_WAIT'] },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
  });
  const { runId } = await bench.invoke();
  const before = (await bench.runtime.records.replay(runId)).state;
  const payload = { observations: ['note_0_0_1'], summary: 'The order is a duplicate.' };
  await bench.settle(
    bench.runtime.sessions.send(runId, { type: 'proposal_made', kind: 'observation_summary', payload }),
  );
  expect(eventsOf(await bench.events(runId), 'violation_noted')).toMatchObject([
    { violation: 'state_write', why: 'it cites nothing that was committed' },
  ]);
  expect((await bench.runtime.records.replay(runId)).state.work).toEqual(before.work);
});
