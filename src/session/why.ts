import type { RunState } from '../kernel/state.ts';
import { endsUnanswered } from '../kernel/unanswered.ts';
import type { ToolTable } from '../kernel/verify/tool-table.ts';
import type { AgentSpec } from '../model/agent.ts';
import { compareModes } from '../model/approval-mode.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';

/** What an agent was given, as far as it can say what a run lacked. */
export interface GivenTo {
  readonly agent: AgentSpec;
  readonly tools: ToolTable;
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Why a run stands or ended as it did, in sentences; none where its code and reason say it all. */
export function whyOf(state: RunState, given?: GivenTo): readonly string[] {
  const { terminal } = state.ending;
  const stop = terminal ?? endsUnanswered(state);
  if (stop === null || stop.code === 'SUCCESS') return NOTHING;
  const { reason, detail = {} } = stop;
  const said = [...sentences(detail), ...ofReason(reason, detail), ...ofLoop(state, reason, detail), ...inDoubt(state)];
  if (reason !== 'capability_missing' || given === undefined) return said;
  return [...said, ...whatIsMissing(state, given, textIn(detail, 'evidence'))];
}

/** Calls that were out when the run ended and that nobody has heard of again. */
function inDoubt({ ending: { rollback } }: RunState): readonly string[] {
  const unknown = rollback?.settled.filter(
    ({ outcome, reason }) => outcome === 'unknown' && reason === 'call_in_doubt',
  );
  return (unknown ?? []).map(
    ({ tool, step_id, call_id }) =>
      `${tool} (step ${step_id}, ${call_id}) was called back when it had been sent: it may have had its effect; look there`,
  );
}

/** What the kernel, the gateway and the critic said, from wherever a stop of theirs carries it. */
function sentences(detail: JsonObject): readonly string[] {
  const { dimension, needed, left, rule } = detail;
  const found = [
    ...listIn(detail, 'problems').map((problem) => (isJsonObject(problem) ? textIn(problem, 'message') : '')),
    ...listIn(detail, 'findings').map((finding) => (typeof finding === 'string' ? finding : '')),
    textIn(detail, 'message'),
    textIn(detail, 'blocker'),
    typeof rule === 'string' ? `the rule ${rule} does not let this goal in` : '',
    typeof needed === 'number' ? `${String(dimension)}: ${needed} would be needed and ${String(left)} is left` : '',
  ];
  return [...new Set(found)].filter((text) => text !== '');
}

/** What only the reason of a stop tells apart: its detail has numbers and names, and no words of its own. */
function ofReason(reason: string, detail: JsonObject): readonly string[] {
  const { steps, graph, dimension, tokens } = detail;
  if (reason === 'plan_too_large' && typeof graph === 'string') {
    return [`the graph ${graph} takes fewer steps than the ${String(steps)} of this plan`];
  }
  if (reason === 'call_in_doubt') return ofDoubt(detail);
  if (reason === 'provider_overrun') return [`a provider took more ${String(dimension)} than the run may spend`];
  if (reason !== 'compression_unsafe') return NOTHING;
  const lost = listIn(detail, 'lost').map(String).join(', ');
  return [
    lost === '' ? `compressed, the context still takes ${String(tokens)} tokens` : `the compression lost: ${lost}`,
  ];
}

/** Whoever has to find out is told what to look for, and from when on they can say it. */
function ofDoubt({ tool, step_id, call_id, idempotency_key, settled_by }: JsonObject): readonly string[] {
  if (typeof tool !== 'string' || typeof idempotency_key !== 'string' || typeof settled_by !== 'number') return NOTHING;
  const over = new Date(settled_by).toISOString();
  return [
    `${tool} (step ${String(step_id)}, ${String(call_id)}) may have had its effect, and nobody has heard of it: look there for its key ${idempotency_key}`,
    `from ${over} on it can no longer be on its way: say then what it came to, have it made again, or end the run`,
  ];
}

/** What went round, and what it went round for: the last thing that whoever plans was told. */
function ofLoop({ planning }: RunState, reason: string, detail: JsonObject): readonly string[] {
  if (reason !== 'loop_detected') return NOTHING;
  const { kind, tool, count, limit } = detail;
  const what = typeof tool === 'string' ? `${String(kind)} of ${tool}` : String(kind);
  const round = `going in circles: ${what}, for the ${String(count)}. time where ${String(limit)} may be`;
  return planning.reason === null ? [round] : [round, planning.reason.message];
}

/** The tools that would have supplied it, each with what kept this identity from it. */
function whatIsMissing(state: RunState, { agent, tools }: GivenTo, evidence: string): readonly string[] {
  const { boundary, access } = agent;
  const authority = state.intake.token?.approval_authority ?? 'read_only';
  return tools.specs
    .filter(({ produces }) => produces.includes(evidence))
    .map(({ name, active, approval_mode }) => {
      if (!active) return `${name} supplies it and is switched off`;
      if (!boundary.tools.allowed.includes(name)) return `${name} supplies it and is not allowed by the boundary`;
      if (compareModes(approval_mode, authority) > 0) {
        return `${name} supplies it and is ${approval_mode}; the roles of the identity reach no further than ${authority}`;
      }
      const scopes = own(access.tool_scopes, name) ?? [name];
      return `${name} supplies it and takes the scope ${scopes.join(' and ')}, which the identity does not have`;
    });
}

const listIn = (detail: JsonObject, name: string): readonly Json[] => {
  const list = own(detail, name);
  return isJsonList(list ?? null) ? (list as readonly Json[]) : [];
};

const textIn = (detail: JsonObject, name: string): string => {
  const text = own(detail, name);
  return typeof text === 'string' ? text : '';
};
