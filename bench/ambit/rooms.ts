import { clearStep } from '../../src/gateway/clear-step.ts';
import type { Critic } from '../../src/kernel/derive.ts';
import type { RunState } from '../../src/kernel/state.ts';
import type { EffectOf } from '../../src/model/effect.ts';
import type { EventBody } from '../../src/model/event.ts';
import { address } from '../../src/model/hash.ts';
import { CRITIC, ENV } from './env.ts';
import { POST_ENTRY } from './tool.ts';

/** Whoever answers the kernel during an action cycle. */
export interface Rooms {
  readonly critic: Critic;
  clear(state: RunState, effect: EffectOf<'clear_step'>): EventBody;
}

/** The rooms that ship: the gateway's checks in their order, the critic with all its evaluators. */
export const REAL_ROOMS: Rooms = {
  critic: CRITIC,
  clear: (state, { step_id, tool, args }) => {
    const step = state.planning.active?.plan.steps[state.current?.index ?? -1];
    if (step === undefined) throw new Error(`step ${step_id} is not in the plan`);
    const check = (value: typeof args) => ENV.tools.checkArguments(tool, value);
    const { token } = state.intake;
    return clearStep({ step, spec: ENV.tools.get(tool), args, token, now: state.now, check, hash: ENV.hash });
  },
};

/**
 * Rooms that say again what the real ones said the first time, so that only the kernel is timed. The arguments are
 * hashed all the same: that hash is what the kernel counts calls by, and no two calls share it.
 */
export const SILENT_ROOMS: Rooms = {
  critic: {
    verifyObservation: once(CRITIC.verifyObservation),
    judgeStep: once(CRITIC.judgeStep),
    judgeRun: CRITIC.judgeRun,
  },
  clear: (_state, { step_id, args }) => ({
    type: 'step_cleared',
    step_id,
    args,
    args_hash: address(ENV.hash, args),
    mode: POST_ENTRY.approval_mode,
    gates: [],
  }),
};

function once<C, A>(ask: (about: C) => A): (about: C) => A {
  let said: { readonly answer: A } | null = null;
  return (about) => {
    said ??= { answer: ask(about) };
    return said.answer;
  };
}
