import type { BudgetCaps } from '../../model/budget.ts';
import type { EventOf, EventType, RunEvent } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import type { Frame } from '../../model/frame.ts';
import { deepFreeze } from '../../model/freeze.ts';
import type { RunManifest } from '../../model/manifest.ts';
import { NONE, type RunTrace, type StateCheckpoint, type UserScope } from '../../model/trace.ts';
import { escalationsIn } from './escalations.ts';
import { toolCallsIn } from './tool-calls.ts';
import { validationsIn } from './validations.ts';

/** What only folding the journal shows: how the run stood at its verdicts, and what it had spent in the end. */
export interface Standing {
  readonly checkpoints: readonly StateCheckpoint[];
  readonly caps: BudgetCaps | null;
  readonly used: Readonly<Record<string, number>>;
  /** What a score had to reach. */
  readonly accept: number;
}

/** The trace of a run that has ended: read from its frames, the same each time, and nobody's to change. */
export function traceOf(frames: readonly Frame[], standing: Standing): RunTrace {
  const events = frames.flatMap((frame) => JSON.parse(frame.events) as readonly RunEvent[]);
  const [arrived] = eventsOf(events, 'goal_received');
  const ended = eventsOf(events, 'run_terminated').at(-1);
  if (arrived === undefined) throw new Fault('replay_input_missing', 'the goal of the run is not recorded');
  if (ended === undefined) {
    throw new Fault('illegal_transition', `${arrived.run_id} has not ended: a trace is written at the end of a run`);
  }
  return deepFreeze({
    // A fork has the beginning of its parent, and with it the name that was given there.
    run_id: frames[0]?.session ?? arrived.run_id,
    tenant_id: arrived.tenant_id,
    user_scope: scopeOf(arrived, eventsOf(events, 'scope_resolved').at(-1)),
    goal_object: arrived.goal,
    ...versionsOf(eventsOf(events, 'run_initialized').at(-1)?.manifest ?? null),
    state_checkpoints: standing.checkpoints,
    tool_calls: toolCallsIn(frames),
    budget_vector: { caps: standing.caps, used: standing.used },
    validation_results: validationsIn(events, standing.accept),
    escalation_events: escalationsIn(events),
    terminal_code: ended.code,
  });
}

function scopeOf({ identity }: EventOf<'goal_received'>, resolved: EventOf<'scope_resolved'> | undefined): UserScope {
  const token = resolved?.token ?? null;
  // Who was let in nowhere has no scope, whatever was asked for.
  if (token === null) return { actor: identity.actor, roles: identity.roles, data_scopes: [] };
  return { actor: token.actor, roles: token.roles, data_scopes: token.data_scopes };
}

type Pinned =
  | 'autonomy_boundary_version'
  | 'workflow_graph_version'
  | 'model_versions'
  | 'prompt_template_versions'
  | 'tool_registry_version';

const NOTHING_PINNED: Pick<RunTrace, Pinned> = Object.freeze({
  autonomy_boundary_version: NONE,
  workflow_graph_version: NONE,
  model_versions: { planner: NONE, executor: NONE, verifier: NONE, router: NONE },
  prompt_template_versions: {},
  tool_registry_version: NONE,
});

function versionsOf(manifest: RunManifest | null): Pick<RunTrace, Pinned> {
  if (manifest === null) return NOTHING_PINNED;
  const { autonomy_boundary_version, workflow_graph_version, model_versions } = manifest;
  const { prompt_template_versions, tool_registry_version } = manifest;
  return {
    autonomy_boundary_version,
    workflow_graph_version,
    model_versions,
    prompt_template_versions,
    tool_registry_version,
  };
}

const eventsOf = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
