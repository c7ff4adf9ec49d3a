import { authorizeStep } from '../../src/gateway/dispatch/authorize-step.ts';
import { permissionLayer } from '../../src/gateway/layers/permission.ts';
import { riskLayer } from '../../src/gateway/layers/risk.ts';
import { schemaLayer } from '../../src/gateway/layers/schema.ts';
import type { Critic } from '../../src/kernel/machine/derive.ts';
import type { RunState } from '../../src/kernel/state/run-state.ts';
import { approvalsFor } from '../../src/model/critic/decision.ts';
import type { EffectOf } from '../../src/model/events/effect.ts';
import type { EventBody } from '../../src/model/events/event.ts';
import { CRITIC, ENV } from './env.ts';
import { MANIFEST } from './manifest.ts';
import { POST_ENTRY } from './tool.ts';

const LAYERS = [schemaLayer, permissionLayer, riskLayer];

/** Answers the kernel's local effects during an action cycle. */
export interface LocalEffects {
  readonly critic: Critic;
  clear(state: RunState, effect: EffectOf<'clear_step'>): EventBody;
}

/** The shipped implementations: the gateway's layers in order, and the Critic with all evaluators. */
export const REAL_EFFECTS: LocalEffects = {
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
    return authorizeStep({ run, attempt: 1, step, spec, args, token, now: state.now, rules, check, argsHash: args_hash, origin }, LAYERS);
  },
};

/** Repeats the first answers of the real implementations, so that only the kernel is timed. */
export const CACHED_EFFECTS: LocalEffects = {
  critic: {
    ...CRITIC,
    verifyObservation: once(CRITIC.verifyObservation),
    judgeStep: once(CRITIC.judgeStep),
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
  let first: { readonly answer: A } | null = null;
  return (about) => {
    first ??= { answer: ask(about) };
    return first.answer;
  };
}
