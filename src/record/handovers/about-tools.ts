import type {
  Eligibility,
  GroundedCall,
  GroundedObservations,
  RetryHistory,
  ToolContracts,
} from '../../model/record/handovers.ts';
import { eventsIn, type FinishedRun, ofType } from './finished-run.ts';

export function toolContracts(run: FinishedRun): ToolContracts {
  const events = eventsIn(run);
  const schemas = new Map(run.tools.map(({ name, input_schema }) => [name, input_schema]));
  return {
    run_id: run.trace.run_id,
    requests: ofType(events, 'step_attempted').map(({ call_id, step_id, tool, args_hash }) => ({
      call_id,
      step_id,
      tool,
      args_hash,
      input_schema: schemas.get(tool) ?? {},
    })),
    eligibility: events.flatMap((event): readonly Eligibility[] => {
      if (event.type === 'step_cleared') {
        const { step_id, mode, gates } = event;
        return [{ step_id, eligible: true, mode, gates, layer: null, reason: null }];
      }
      if (event.type !== 'step_refused') return [];
      const { step_id, layer, code, message } = event;
      return [{ step_id, eligible: false, mode: null, gates: [], layer, reason: `${code}: ${message}` }];
    }),
    repairs: [
      ...ofType(events, 'plan_verified').flatMap(({ problems }) =>
        problems.map(({ code, step_id = null, message }) => ({ code, step_id, message })),
      ),
      ...ofType(events, 'plan_failed').map(({ code, message }) => ({ code, step_id: null, message })),
    ],
  };
}

export function groundedObservations(run: FinishedRun): GroundedObservations {
  const events = eventsIn(run);
  const verified = new Map(ofType(events, 'step_verified').map((event) => [event.call_id, event]));
  const committed = new Map(ofType(events, 'step_committed').map((event) => [event.call_id, event]));
  const steps = new Map(ofType(events, 'step_attempted').map(({ call_id, step_id }) => [call_id, step_id]));
  const calls = run.trace.tool_calls.map(({ request_id: call_id, tool, result_status, observation }): GroundedCall => {
    const [confirmed, kept] = [verified.get(call_id), committed.get(call_id)];
    const checked = confirmed?.ok === true ? 'verified' : 'observed';
    return {
      call_id,
      step_id: steps.get(call_id) ?? 'unknown',
      tool,
      rung: kept !== undefined ? 'committed' : observation === null ? 'attempted' : checked,
      outcome: observation === null ? null : result_status,
      observation,
      validator: confirmed?.validator ?? null,
      evidence_id: kept?.evidence_id ?? null,
      state_version: kept?.version ?? null,
    };
  });
  return { run_id: run.trace.run_id, calls };
}

export function retryHistory(run: FinishedRun): RetryHistory {
  const events = eventsIn(run);
  const outcomes = new Map(run.trace.tool_calls.map(({ request_id, result_status }) => [request_id, result_status]));
  const steps = new Map<string, { readonly tool: string; readonly outcomes: string[] }>();
  for (const { step_id, tool, call_id } of ofType(events, 'step_attempted')) {
    const step = steps.get(step_id) ?? { tool, outcomes: [] };
    step.outcomes.push(outcomes.get(call_id) ?? 'in_doubt');
    steps.set(step_id, step);
  }
  return {
    run_id: run.trace.run_id,
    steps: [...steps].map(([step_id, step]) => ({ step_id, ...step })),
    breaches: [
      ...ofType(events, 'violation_noted').map(({ violation: kind, subject, why }) => ({ kind, subject, why })),
      ...ofType(events, 'stop_raised').map(({ stop }) => ({ kind: stop.code, subject: stop.reason, why: stop.reason })),
    ],
    shortages: ofType(events, 'shortage_foreseen').map(({ dimension }) => dimension),
    replans: Math.max(0, ofType(events, 'plan_proposed').length - 1),
  };
}
