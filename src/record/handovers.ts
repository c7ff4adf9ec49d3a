import { z } from 'zod';
import type { DecisionRecord } from '../model/critic/decision-record.ts';
import type { EventOf, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { openedGates } from '../model/gate/gate-terms.ts';
import type { Hash } from '../model/json/hash.ts';
import type { JsonObject } from '../model/json/json.ts';
import type {
  ApprovalPackets,
  BudgetLimits,
  Eligibility,
  EscalationRoutes,
  GovernanceRecord,
  GroundedCall,
  GroundedObservations,
  IncidentBundle,
  MetricStream,
  ReplayBundle,
  RetryHistory,
  ReviewRecords,
  RunTemplates,
  ScenarioSet,
  ScopeRecord,
  ToolContracts,
} from '../model/record/handovers.ts';
import { RunTrace } from '../model/record/trace.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import { auditRecordOf } from './audit-record.ts';
import { eventsOf } from './trace/trace-of.ts';

/** All records of a finished run, as input for the reports. */
export interface FinishedRun {
  readonly trace: RunTrace;
  readonly frames: readonly Frame[];
  readonly record: DecisionRecord;
  /** The tools as they were when the run began. */
  readonly tools: readonly ToolSpec[];
  readonly graph: JsonObject;
  /** The visited nodes, in order. */
  readonly path: readonly string[];
  /** The approval packets that people were shown, by hash. */
  readonly packets: Readonly<Record<string, JsonObject>>;
  readonly bundle: Uint8Array;
  readonly hash: Hash;
}

const eventsIn = ({ frames }: Pick<FinishedRun, 'frames'>): readonly RunEvent[] => frames.flatMap(frameEvents);

type Point = MetricStream['points'][number];

export const metricStream: (run: FinishedRun) => MetricStream = guardInput(
  'metricStream',
  (run: FinishedRun): MetricStream => {
    const sent = new Map<string, EventOf<'step_attempted'>>();
    const points = eventsIn(run).flatMap((event): readonly Point[] => {
      if (event.type === 'step_attempted') sent.set(event.call_id, event);
      return pointsOf(event, sent);
    });
    const end = points.at(-1)?.at ?? 0;
    const spent = Object.entries(run.trace.budget_vector.used).map(
      ([metric, value]): Point => ({ at: end, metric, value, label: null }),
    );
    return { run_id: run.trace.run_id, points: [...points, ...spent] };
  },
);

function pointsOf(event: RunEvent, sent: ReadonlyMap<string, EventOf<'step_attempted'>>): readonly Point[] {
  const { at } = event;
  switch (event.type) {
    case 'plan_verified':
      return [{ at, metric: 'plans_verified', value: 1, label: event.verdict }];
    case 'step_observed': {
      const call = sent.get(event.call_id);
      const latency = { at, metric: 'tool_latency_ms', value: at - (call?.at ?? at), label: call?.tool ?? null };
      return [{ at, metric: 'tool_calls', value: 1, label: event.outcome }, latency];
    }
    case 'step_committed':
      return [{ at, metric: 'steps_committed', value: 1, label: event.source }];
    case 'step_judged':
      return Object.entries(event.scores).map(([name, value]) => ({ at, metric: 'step_score', value, label: name }));
    case 'gate_opened':
      return openedGates(event).map(({ name }) => ({ at, metric: 'gates_opened', value: 1, label: name }));
    case 'run_terminated':
      return [{ at, metric: 'runs_ended', value: 1, label: event.code }];
    default:
      return [];
  }
}

export const scenarioSet: (run: FinishedRun) => ScenarioSet = guardInput(
  'scenarioSet',
  (run: FinishedRun): ScenarioSet => {
    const events = eventsIn(run);
    const sent = new Map(eventsOf(events, 'step_attempted').map((event) => [event.call_id, event]));
    return {
      run_id: run.trace.run_id,
      goal: run.trace.goal_object,
      proposals: eventsOf(events, 'plan_proposed').map(({ proposal }) => proposal),
      answers: eventsOf(events, 'step_observed').flatMap(({ call_id, outcome, raw }) => {
        const call = sent.get(call_id);
        return call === undefined ? [] : [{ tool: call.tool, args_hash: call.args_hash, outcome, raw }];
      }),
      trajectory: run.path,
      terminal_code: run.trace.terminal_code,
    };
  },
);

export const replayBundle: (input: FinishedRun) => ReplayBundle = guardInput(
  'replayBundle',
  ({ trace, frames, bundle }: FinishedRun): ReplayBundle => {
    const head = frames.at(-1)?.hash ?? 'sha256:';
    const file_base64 = Buffer.from(bundle).toString('base64');
    return { run_id: trace.run_id, frames: frames.length, head, bytes: bundle.length, file_base64 };
  },
);

/** Enough events for a first look at an incident. */
const LAST_EVENTS = 20;

export const incidentBundle: (run: FinishedRun) => IncidentBundle = guardInput(
  'incidentBundle',
  (run: FinishedRun): IncidentBundle => {
    const events = eventsIn(run);
    const ended = eventsOf(events, 'run_terminated').at(-1);
    return {
      run_id: run.trace.run_id,
      terminal: { code: run.trace.terminal_code, reason: ended?.reason ?? 'unknown', detail: ended?.detail ?? {} },
      suppressed: ended?.suppressed ?? [],
      faults: events.flatMap((event) => {
        if (event.type !== 'step_refused' && event.type !== 'plan_failed' && event.type !== 'decision_refused')
          return [];
        return [{ at: event.at, code: event.code, message: event.message }];
      }),
      in_doubt: run.trace.tool_calls.flatMap(({ request_id, observation }) =>
        observation === null ? [request_id] : [],
      ),
      last: events.slice(-LAST_EVENTS).map(({ at, type }) => ({ at, event: type })),
    };
  },
);

export const runTemplates: (input: FinishedRun) => RunTemplates = guardInput(
  'runTemplates',
  ({ trace, graph }: FinishedRun): RunTemplates => {
    const schema = z.toJSONSchema(RunTrace, { unrepresentable: 'any' }) as unknown as JsonObject;
    const trace_schema = JSON.parse(JSON.stringify(schema)) as JsonObject;
    return { run_id: trace.run_id, graph, budget: trace.budget_vector.caps, trace_schema };
  },
);

export const toolContracts: (run: FinishedRun) => ToolContracts = guardInput(
  'toolContracts',
  (run: FinishedRun): ToolContracts => {
    const events = eventsIn(run);
    const schemas = new Map(run.tools.map(({ name, input_schema }) => [name, input_schema]));
    return {
      run_id: run.trace.run_id,
      requests: eventsOf(events, 'step_attempted').map(({ call_id, step_id, tool, args_hash }) => ({
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
        ...eventsOf(events, 'plan_verified').flatMap(({ problems }) =>
          problems.map(({ code, step_id = null, message }) => ({ code, step_id, message })),
        ),
        ...eventsOf(events, 'plan_failed').map(({ code, message }) => ({ code, step_id: null, message })),
      ],
    };
  },
);

export const groundedObservations: (run: FinishedRun) => GroundedObservations = guardInput(
  'groundedObservations',
  (run: FinishedRun): GroundedObservations => {
    const events = eventsIn(run);
    const verified = new Map(eventsOf(events, 'step_verified').map((event) => [event.call_id, event]));
    const committed = new Map(eventsOf(events, 'step_committed').map((event) => [event.call_id, event]));
    const steps = new Map(eventsOf(events, 'step_attempted').map(({ call_id, step_id }) => [call_id, step_id]));
    const calls = run.trace.tool_calls.map(
      ({ request_id: call_id, tool, result_status, observation }): GroundedCall => {
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
      },
    );
    return { run_id: run.trace.run_id, calls };
  },
);

export const retryHistory: (run: FinishedRun) => RetryHistory = guardInput(
  'retryHistory',
  (run: FinishedRun): RetryHistory => {
    const events = eventsIn(run);
    const outcomes = new Map(run.trace.tool_calls.map(({ request_id, result_status }) => [request_id, result_status]));
    const steps = new Map<string, { readonly tool: string; readonly outcomes: string[] }>();
    for (const { step_id, tool, call_id } of eventsOf(events, 'step_attempted')) {
      const step = steps.get(step_id) ?? { tool, outcomes: [] };
      step.outcomes.push(outcomes.get(call_id) ?? 'in_doubt');
      steps.set(step_id, step);
    }
    return {
      run_id: run.trace.run_id,
      steps: [...steps].map(([step_id, step]) => ({ step_id, ...step })),
      breaches: [
        ...eventsOf(events, 'violation_noted').map(({ violation: kind, subject, why }) => ({ kind, subject, why })),
        ...eventsOf(events, 'stop_raised').map(({ stop }) => ({
          kind: stop.code,
          subject: stop.reason,
          why: stop.reason,
        })),
      ],
      shortages: eventsOf(events, 'shortage_foreseen').map(({ dimension }) => dimension),
      replans: Math.max(0, eventsOf(events, 'plan_proposed').length - 1),
    };
  },
);

export const scopeRecord: (run: FinishedRun) => ScopeRecord = guardInput(
  'scopeRecord',
  (run: FinishedRun): ScopeRecord => {
    const events = eventsIn(run);
    const token = eventsOf(events, 'scope_resolved').at(-1)?.token ?? null;
    const { run_id, tenant_id, user_scope, autonomy_boundary_version } = run.trace;
    return {
      run_id,
      tenant_id,
      user_scope,
      boundary_version: autonomy_boundary_version,
      allowed_tools: token?.allowed_tools ?? [],
      denials: events.flatMap((event) => {
        if (event.type === 'step_refused') {
          const { step_id: subject, layer, code, message } = event;
          return [{ subject, layer, code, message }];
        }
        if (event.type === 'decision_refused') {
          const { gate_id, code, message } = event;
          return [{ subject: gate_id ?? run_id, layer: 'people', code, message }];
        }
        if (event.type !== 'scope_resolved' || event.token !== null) return [];
        return [
          { subject: run_id, layer: 'scope', code: event.reason ?? 'scope_refused', message: 'no scope was given' },
        ];
      }),
    };
  },
);

export const budgetLimits: (run: FinishedRun) => BudgetLimits = guardInput(
  'budgetLimits',
  (run: FinishedRun): BudgetLimits => {
    return {
      run_id: run.trace.run_id,
      budget_vector: run.trace.budget_vector,
      extensions: eventsOf(eventsIn(run), 'budget_extended').map(({ by, reason, delta }) => ({ by, reason, delta })),
    };
  },
);

export const escalationRoutes: (run: FinishedRun) => EscalationRoutes = guardInput(
  'escalationRoutes',
  (run: FinishedRun): EscalationRoutes => {
    const { trace, record } = run;
    const ended = eventsOf(eventsIn(run), 'run_terminated').at(-1);
    return {
      run_id: trace.run_id,
      routes: trace.escalation_events.flatMap(({ request }) =>
        request.kind === 'handover' ? [request.escalation] : [],
      ),
      degraded: record.degraded ?? [],
      failed_calls: trace.tool_calls.flatMap(({ tool, request_id: call_id, result_status: outcome }) =>
        outcome === 'ok' ? [] : [{ tool, call_id, outcome }],
      ),
      terminal: { code: trace.terminal_code, reason: ended?.reason ?? 'unknown' },
    };
  },
);

export const approvalPackets: (run: FinishedRun) => ApprovalPackets = guardInput(
  'approvalPackets',
  (run: FinishedRun): ApprovalPackets => {
    const opened = eventsOf(eventsIn(run), 'gate_opened');
    return {
      run_id: run.trace.run_id,
      packets: opened.flatMap(({ gate_id, name, packet_hash }) => {
        const packet = Object.hasOwn(run.packets, packet_hash) ? run.packets[packet_hash] : undefined;
        return packet === undefined ? [] : [{ gate_id, name, packet_hash, packet }];
      }),
    };
  },
);

type Decided = ReviewRecords['decisions'][number];

export const reviewRecords: (run: FinishedRun) => ReviewRecords = guardInput(
  'reviewRecords',
  (run: FinishedRun): ReviewRecords => {
    const { run_id, escalation_events } = run.trace;
    return {
      run_id,
      requests: escalation_events,
      decisions: eventsIn(run).flatMap((event) => decidedIn(event, run_id)),
    };
  },
);

function decidedIn(event: RunEvent, runId: string): readonly Decided[] {
  switch (event.type) {
    case 'gate_decided': {
      const { approver: by, decision, gate_id: about, reason, at, proof } = event;
      return [{ by, decision, about, reason, at, credential: proof?.credential ?? null }];
    }
    case 'escalation_decided': {
      const { by, decision, reason, at, proof } = event;
      return [{ by, decision, about: runId, reason, at, credential: proof?.credential ?? null }];
    }
    case 'budget_extended':
    case 'run_cancelled': {
      const { type, by, reason, at, proof } = event;
      return [{ by, decision: type, about: runId, reason, at, credential: proof?.credential ?? null }];
    }
    default:
      return [];
  }
}

export const governanceRecord: (run: FinishedRun) => GovernanceRecord = guardInput(
  'governanceRecord',
  (run: FinishedRun): GovernanceRecord => {
    const { trace, record, frames, hash } = run;
    const manifest = eventsOf(eventsIn(run), 'run_initialized').at(-1)?.manifest;
    return {
      run_id: trace.run_id,
      owner: trace.user_scope.actor,
      boundary_version: trace.autonomy_boundary_version,
      policy_version: manifest?.policy_version ?? 'none',
      decision: record,
      entries: auditRecordOf(frames, hash),
    };
  },
);
