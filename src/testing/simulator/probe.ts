import { step } from '../../kernel/step.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { RUN_LAWS } from './laws/run-laws.ts';
import type { Simulation } from './simulation.ts';
import { junkEvent } from './world/junk.ts';

/** Shows the kernel an event nobody asked for, without consequences: it must answer, and a refusal changes nothing. */
export function probe({ auditor, prng, scenario, freeze }: Simulation): void {
  const { state } = auditor;
  const event = freeze ? deepFreeze(junkEvent(prng, state)) : junkEvent(prng, state);
  try {
    const [next, effects, fault] = step(scenario.pins.env, state, event);
    if (fault === undefined) return;
    if (!Fault.is(fault)) auditor.accuse(RUN_LAWS.refusal, `${event.type} was refused with something that is no Fault`);
    if (next !== state || effects.length > 0)
      auditor.accuse(RUN_LAWS.refusal, `${event.type} was refused and changed something`);
  } catch (error) {
    auditor.accuse(RUN_LAWS.refusal, `${event.type} threw ${String(error)}`);
  }
}

/** Nothing moves a run that has ended. */
export function probeTheDead(sim: Simulation): void {
  const { auditor, prng, scenario } = sim;
  const { state } = auditor;
  for (let count = 0; count < 3; count += 1) {
    const event = { ...junkEvent(prng, state), at: state.now + count };
    const [next, , fault] = step(scenario.pins.env, state, event);
    if (fault === undefined || next !== state) {
      auditor.accuse(RUN_LAWS.terminal, `${event.type} was accepted after the end`);
    }
  }
}
