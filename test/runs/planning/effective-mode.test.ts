/** Tests the approval mode of a step: its own, or by default that of its tool. */
import { expect } from 'vitest';
import { verifies } from '../../requirements/verifies.ts';
import { planOf, rig } from '../rig.ts';

verifies(
  'plan:step:approval-mode-per-step',
  'a step without a mode takes the mode of its tool and runs without a gate',
  async () => {
    const bench = rig({
      tools: { read: { approval_mode: 'read_only' }, finish: { produces: ['done'], approval_mode: 'read_only' } },
      plans: [
        planOf([
          { id: 's1', tool: 'read' },
          { id: 's2', tool: 'finish', approval_mode: 'network', requires: ['GATE_DESK'], depends_on: ['s1'] },
        ]),
      ],
    });
    const waiting = await bench.invoke();
    const modes = (await bench.events(waiting.runId)).flatMap((event) =>
      event.type === 'step_cleared' ? [[event.step_id, event.mode, event.gates]] : [],
    );
    expect(modes).toEqual([
      ['s1', 'read_only', []],
      ['s2', 'network', ['GATE_DESK']],
    ]);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['read']);
    expect(waiting.pending.map(({ stepId }) => stepId)).toEqual(['s2']);
  },
);
