import type { EventOf, EventType, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { PhaseName } from '../model/phase.ts';

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isWords: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isList: Check = Array.isArray;
const isRecord: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isThere: Check = (value) => value !== undefined;
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;

/** Every score between 0 and 1, without a list of them being made. */
const areScores: Check = (value) => {
  if (!isRecord(value)) return false;
  for (const name in value as object) {
    const score = (value as Record<string, unknown>)[name];
    if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return false;
  }
  return true;
};

const has =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isRecord(value) && Object.keys(fields).every((name) => fields[name]?.((value as Fields)[name]) === true);

const isGoal = has({ goal_id: isText, statement: isWords, intent: isText, acceptance_criteria: isList });
const isToken = has({ actor: isText, tenant_id: isText, allowed_tools: isList, approval_authority: isText });
const isManifest = has({ run_id: isText, autonomy_boundary: isRecord, workflow_graph_version: isText });
const isHandover = has({ escalation_id: isText, trigger: isText, recipient: isText });

interface Border {
  readonly phase: PhaseName;
  /** The first field of the event that the next phase cannot start from; null where it can start from all of them. */
  readonly unfit: (event: RunEvent) => string | null;
}

/** Fields are read by their names rather than through a table of them, because every event of every run walks past here. */
const border = <T extends EventType>(
  type: T,
  phase: PhaseName,
  unfit: (event: EventOf<T>) => string | null,
): readonly [EventType, Border] => [type, { phase, unfit: unfit as Border['unfit'] }];

const unless = (fits: boolean, field: string): string | null => (fits ? null : field);

/** What the event that ends a phase has to bring. A plan brings two things: itself, and what it is projected to take. */
// biome-ignore format: a table is read by its columns, one field a line
const BORDERS: ReadonlyMap<EventType, Border> = new Map([
  border('goal_received', 'goal_intake', (event) =>
    unless(isGoal(event.goal), 'goal') ??
    unless(isRecord(event.identity), 'identity')),
  border('scope_resolved', 'scope_resolution', (event) =>
    unless(event.token === null || isToken(event.token), 'token')),
  border('policy_checked', 'policy_check', (event) =>
    unless(isFlag(event.cleared), 'cleared')),
  border('run_initialized', 'state_init', (event) =>
    unless(isManifest(event.manifest), 'manifest') ??
    unless(isRecord(event.caps), 'caps')),
  border('plan_verified', 'plan_selection', (event) =>
    unless(isText(event.verdict), 'verdict') ??
    unless(event.plan_hash === null || isText(event.plan_hash), 'plan_hash') ??
    unless(isRecord(event.projected), 'projected')),
  border('step_refused', 'tool_eligibility', (event) =>
    unless(isText(event.step_id), 'step_id') ??
    unless(isText(event.layer), 'layer') ??
    unless(isText(event.code), 'code')),
  border('step_cleared', 'action_selection', (event) =>
    unless(isText(event.step_id), 'step_id') ??
    unless(isRecord(event.args), 'args') ??
    unless(isText(event.args_hash), 'args_hash') ??
    unless(isText(event.mode), 'mode') ??
    unless(isList(event.gates), 'gates')),
  border('step_observed', 'tool_invocation', (event) =>
    unless(isText(event.call_id), 'call_id') ??
    unless(isText(event.outcome), 'outcome') ??
    unless(isThere(event.raw), 'raw') ??
    unless(isRecord(event.spent), 'spent')),
  border('step_verified', 'observation_grounding', (event) =>
    unless(isText(event.call_id), 'call_id') ??
    unless(isFlag(event.ok), 'ok') ??
    unless(isThere(event.confirmed), 'confirmed') ??
    unless(isText(event.validator), 'validator')),
  border('step_committed', 'state_update', (event) =>
    unless(isCount(event.version), 'version') ??
    unless(isText(event.evidence_id), 'evidence_id')),
  border('step_judged', 'validation_check', (event) =>
    unless(isText(event.step_id), 'step_id') ??
    unless(areScores(event.scores), 'scores') ??
    unless(areScores(event.criteria), 'criteria')),
  border('reflection_made', 'reflection_trigger', (event) =>
    unless(isText(event.trigger), 'trigger') ??
    unless(isWords(event.note), 'note')),
  border('run_judged', 'termination_check', (event) =>
    unless(areScores(event.scores), 'scores') ??
    unless(isList(event.unmet), 'unmet')),
  border('run_escalated', 'escalation_check', (event) =>
    unless(isHandover(event.escalation), 'escalation') ??
    unless(isRecord(event.stop), 'stop')),
  border('response_compiled', 'final_response', (event) =>
    unless(isList(event.claims), 'claims') ??
    unless(isWords(event.text), 'text')),
  border('memory_proposed', 'memory_write', (event) =>
    unless(isList(event.proposals), 'proposals')),
  border('run_terminated', 'trace_logging', (event) =>
    unless(isText(event.code), 'code') ??
    unless(isText(event.reason), 'reason') ??
    unless(isText(event.record), 'record')),
]);

/**
 * What a phase hands over is looked at before the next one starts from it. A fault names the phase and what is wrong;
 * null for what may pass. Cheap on purpose: whether every name in it is well formed was asked at the door.
 */
export function malformedHandoff(event: RunEvent): Fault | null {
  const held = BORDERS.get(event.type);
  if (held === undefined) return null;
  const name = held.unfit(event);
  if (name === null) return null;
  const what =
    (event as unknown as Fields)[name] === undefined ? 'is missing' : 'is not what the next phase can start from';
  // Authority that is handed to nobody has a fault of its own.
  const code = event.type === 'run_escalated' ? 'escalation_invalid' : 'event_invalid';
  return new Fault(code, `${held.phase} hands over a malformed ${event.type}: ${name} ${what}`, { path: `/${name}` });
}
