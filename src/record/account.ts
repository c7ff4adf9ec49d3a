import { BUDGET_DIMENSIONS } from '../model/budget/dimensions.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import { TERMINAL_CODE_TABLE } from '../model/fault/terminal-code.ts';
import { own } from '../model/json/json.ts';
import { NONE, type RunTrace } from '../model/record/trace.ts';

/**
 * A run in one sentence: its permissions, path, calls, spending, changes and the reason it ended. Derived from the
 * trace alone, so it can be reproduced. Empty parts are named, not left out. It contains names only, no free text.
 */
export const accountOf: (trace: RunTrace) => string = guardInput('accountOf', (trace: RunTrace): string => {
  const parts = [
    `The run ${trace.run_id} was allowed ${allowed(trace)}`,
    `chose ${path(trace)}`,
    `called ${called(trace)}`,
    `spent ${spent(trace)}`,
    `updated ${updated(trace)}`,
  ];
  return `${parts.join(', ')}, and ended because ${ending(trace)}.`;
});

function allowed({ goal_object, user_scope, tenant_id, autonomy_boundary_version }: RunTrace): string {
  const boundary = autonomy_boundary_version === NONE ? 'no boundary yet' : `boundary ${autonomy_boundary_version}`;
  return `${goal_object.intent} for ${user_scope.actor} of ${tenant_id} under ${boundary} with ${dataScopes(user_scope)}`;
}

/** The verdicts of the run: on a step (by its name), on a plan, and on the run. */
function path({ state_checkpoints }: RunTrace): string {
  const verdicts = state_checkpoints.flatMap(({ judged, after_step, verdict }) =>
    verdict === null ? [] : [`${judged === 'step' ? (after_step ?? judged) : judged} ${verdict}`],
  );
  return verdicts.length === 0 ? `the path ${NONE}` : `the path ${shortened(verdicts, ' → ')}`;
}

function called({ tool_calls }: RunTrace): string {
  const calls = tool_calls.map(({ tool, result_status, said_by }) =>
    said_by === undefined ? `${tool} (${result_status})` : `${tool} (${result_status}, said by ${said_by})`,
  );
  return calls.length === 0 ? `the tools ${NONE}` : shortened(calls, ' then ');
}

/** Counters without a limit of their own, listed next to the dimension they belong to. */
const PAIRED_COUNTERS: Readonly<Record<string, string>> = {
  inference_cost_usd: 'tool_spend_usd',
  retry_count: 'retry_total',
};
const COUNTED: readonly string[] = BUDGET_DIMENSIONS.flatMap((dimension) =>
  [dimension, PAIRED_COUNTERS[dimension] ?? []].flat(),
);

/** The final budget use by dimension. Unused dimensions are left out. */
function spent({ budget_vector: { caps, used } }: RunTrace): string {
  if (caps === null) return `of the budget ${NONE}`;
  const limits = caps as unknown as Readonly<Record<string, number | undefined>>;
  const amounts = COUNTED.flatMap((dimension) => {
    const amount = own(used, `${dimension}_used`) ?? 0;
    if (amount === 0) return [];
    const limit = own(limits, `${dimension}_max`);
    return [limit === undefined ? `${amount} ${dimension}` : `${amount} of ${limit} ${dimension}`];
  });
  return amounts.length === 0 ? `of the budget ${NONE}` : amounts.join(' and ');
}

function updated({ state_checkpoints }: RunTrace): string {
  const version = Math.max(0, ...state_checkpoints.map(({ state_version }) => state_version));
  if (version === 0) return `the state ${NONE}`;
  const steps = state_checkpoints.flatMap(({ after_step, state_version }, place) => {
    const before = state_checkpoints[place - 1]?.state_version ?? 0;
    return after_step !== null && state_version > before ? [after_step] : [];
  });
  return `the state to version ${version} from what was verified of ${shortened([...new Set(steps)], ' and ')}`;
}

function ending({ terminal_code }: RunTrace): string {
  const { trigger } = TERMINAL_CODE_TABLE[terminal_code];
  return `${terminal_code} was met: ${trigger.charAt(0).toLowerCase()}${trigger.slice(1).replace(/\.$/, '')}`;
}

const dataScopes = ({ data_scopes }: RunTrace['user_scope']): string =>
  data_scopes.length === 0 ? 'no data scopes' : `the scopes ${data_scopes.join(' and ')}`;

/** Number of items of a long list that are named; the items in the middle are only counted. */
const SHOWN = 8;

function shortened(items: readonly string[], between: string): string {
  if (items.length <= SHOWN) return items.join(between);
  const kept = SHOWN / 2;
  const middle = `${items.length - SHOWN} more`;
  return [...items.slice(0, kept), middle, ...items.slice(-kept)].join(between);
}
