import { clearStep } from '../../src/gateway/clear-step.ts';
import { permissionLayer } from '../../src/gateway/layers/permission.ts';
import { riskLayer } from '../../src/gateway/layers/risk.ts';
import { schemaLayer } from '../../src/gateway/layers/schema.ts';
import type { Critic } from '../../src/kernel/derive.ts';
import type { RunState } from '../../src/kernel/state.ts';
import { approvalsFor } from '../../src/kernel/verify/governing-decisions.ts';
import type { EffectOf } from '../../src/model/effect.ts';
import type { EventBody } from '../../src/model/event.ts';
import { CRITIC, ENV } from './env.ts';
import { MANIFEST } from './manifest.ts';
import { POST_ENTRY } from './tool.ts';

const LAYERS = [schemaLayer, permissionLayer, riskLayer];

/** Whoever answers the kernel during an action cycle. */
export interface Rooms {
  readonly critic: Critic;
  clear(state: RunState, effect: EffectOf<'clear_step'>): EventBody;
}

/** The rooms that ship: the gateway's checks in their order, the critic with all its evaluators. */
export const REAL_ROOMS: Rooms = {
  critic: CRITIC,
  clear: (state, { step_id, tool, args, args_hash, origin }) => {
    const step = state.planning.active?.plan.steps[state.current?.index ?? -1];
    if (step === undefined) throw new Error(`step ${step_id} is not in the plan`);
    const check = (value: typeof args) => ENV.tools.checkArguments(tool, value);
    const { token } = state.intake;
    const rules = {
      bounds: MANIFEST.autonomy_boundary.tools,
      risk: state.intake.risk,
      approvals: approvalsFor(ENV.catalog, tool),
    };
    const spec = ENV.tools.get(tool);
    const run = { runId: state.id.runId, tenantId: state.id.tenantId, agent: MANIFEST.agent };
    return clearStep({ run, attempt: 1, step, spec, args, token, now: state.now, rules, check, argsHash: args_hash, origin }, LAYERS);
  },
};

/**
 * Rooms that say again what the real ones said the first time, so that only the kernel is timed.
 */
export const SILENT_ROOMS: Rooms = {
  critic: {
    verifyObservation: once(CRITIC.verifyObservation),
    judgeStep: once(CRITIC.judgeStep),
    judgeRun: CRITIC.judgeRun,
  },
  clear: (_state, { step_id, args, args_hash }) => ({
    type: 'step_cleared',
    step_id,
    args,
    args_hash,
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
