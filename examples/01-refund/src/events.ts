import { styleText } from 'node:util';
import type { Plan } from 'ambit';
import type { RunEvent } from 'ambit/records';
import { bad, bold, dim, good, json, MARGIN } from './layout.ts';

/** Describes the events of one run that the demo shows. Calls of `respond` only mark the end of a plan. */
export function eventDescriber(): (event: RunEvent) => readonly string[] {
  const silent = new Set<string>();
  return (event) => {
    if (event.type === 'step_attempted' && event.tool === 'respond') silent.add(event.call_id);
    return 'call_id' in event && silent.has(event.call_id) ? [] : line(event);
  };
}

function line(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'scope_resolved':
      return event.token === null ? [] : [`scope      may use ${withoutSpeech(event.token.allowed_tools).join(', ')}`];
    case 'run_initialized': {
      const { tool_calls_max, side_effects_max, wall_clock_seconds_max } = event.caps;
      return [
        `budget     ${tool_calls_max} tool calls, ${wall_clock_seconds_max} s, side effects: ${side_effects_max}`,
      ];
    }
    case 'plan_proposed':
      return planned(event.proposal as unknown as Plan, event.calls !== undefined);
    case 'plan_verified':
      return [
        `verified   ${event.verdict === 'ok' ? good('ok') : bad(event.verdict)} ${dim(`by ${event.checks.length} checks`)}`,
      ];
    case 'step_attempted':
      return [`${event.step_id}         the call of ${event.tool} is stored, then sent`];
    case 'call_reconciled':
      return [`found      ${bold(event.finding)}, says ${event.probe}: ${dim(json(event.raw))}`];
    case 'step_observed':
      return [`${MARGIN}returned ${event.outcome === 'ok' ? '' : `${bad(event.outcome)} `}${dim(json(event.raw))}`];
    case 'step_committed':
      return [`${MARGIN}${good('✓ accepted')} as fact ${event.evidence_id}`];
    case 'gate_decided':
      return [
        `decided    ${event.decision === 'approve' ? good('approved') : bad('rejected')} by ${event.approver}: ${event.reason}`,
      ];
    default:
      return [];
  }
}

/** Leaves out the tools that only speak to the user. */
const withoutSpeech = (tools: readonly string[]): readonly string[] =>
  tools.filter((tool) => tool !== 'respond' && tool !== 'clarify');

function planned(plan: Plan, isFromModel: boolean): readonly string[] {
  const steps = plan.steps.filter(({ tool }) => tool !== 'respond');
  return [
    `plan       ${steps.length} steps, ${isFromModel ? 'written by the model' : 'from a template, without a model'}`,
    ...steps.map(({ id, tool, depends_on = [], requires = [] }) => {
      const after = depends_on.length === 0 ? '' : `  after ${depends_on.join(', ')}`;
      const gates = requires.length === 0 ? '' : `  ${styleText('yellow', requires.join(', '))}`;
      return `${MARGIN}${id}  ${tool}${dim(after)}${gates}`;
    }),
  ];
}
