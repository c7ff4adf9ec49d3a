import type { RunState } from '../../kernel/index.ts';
import type { PartialCaps } from '../../model/budget/budget.ts';
import { capOption } from '../../model/budget/budget-profile.ts';
import { MICROUSD_PER_USD } from '../../model/budget/dimensions.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { RunHistory, ThreadHistory, ThreadLimits, ThreadPlace, ThreadUse } from '../../model/run/thread.ts';
import type { Models } from '../../ports/model/language-model.ts';
import type { LoadedContext } from '../run-contexts.ts';

type AmountLimit = Exclude<keyof ThreadLimits, 'runs_max'>;

/** Each limit of a thread with the amount that counts against it. `needed`: no run can do without the amount. */
const AMOUNTS: Readonly<
  Record<AmountLimit, { readonly of: keyof ThreadUse; readonly scale: number; readonly needed: boolean }>
> = {
  input_tokens_max: { of: 'input_tokens', scale: 1, needed: true },
  output_tokens_max: { of: 'output_tokens', scale: 1, needed: true },
  inference_cost_usd_max: { of: 'cost_microusd', scale: MICROUSD_PER_USD, needed: true },
  tool_calls_max: { of: 'tool_calls', scale: 1, needed: false },
  side_effects_max: { of: 'side_effects', scale: 1, needed: false },
};
const AMOUNT_LIMITS = Object.keys(AMOUNTS) as readonly AmountLimit[];

const leftOf = (limit: AmountLimit, most: number, used: ThreadUse): number => {
  const { of, scale } = AMOUNTS[limit];
  return Math.max(0, Math.round(most * scale) - used[of]) / scale;
};

/** Refuses a message to a thread that has used up a limit without which no run can answer. */
export function assertWithinThread(limits: ThreadLimits | undefined, history: ThreadHistory | null): void {
  if (limits === undefined || history === null) return;
  const { id, runs, used } = history;
  if (limits.runs_max !== undefined && runs.length >= limits.runs_max) throw reached(id, 'runs_max', limits.runs_max);
  const spent = AMOUNT_LIMITS.find((limit) => {
    const most = limits[limit];
    return AMOUNTS[limit].needed && most !== undefined && leftOf(limit, most, used) === 0;
  });
  if (spent !== undefined) throw reached(id, spent, limits[spent] ?? 0);
}

function reached(thread: string, limit: keyof ThreadLimits, most: number): Fault {
  const message = `thread ${thread} has used up its limit ${limit} of ${most}: begin a new thread, or raise thread.${capOption(limit)} of the agent`;
  return new Fault('thread_limit_reached', message, { path: `/thread/${limit}` });
}

/** The caps of a run that its thread leaves, or undefined if the thread has no limits. */
export function capsLeft({ limits, used }: ThreadPlace): PartialCaps | undefined {
  if (limits === undefined) return undefined;
  const stated = AMOUNT_LIMITS.flatMap((limit): readonly (readonly [AmountLimit, number])[] => {
    const most = limits[limit];
    return most === undefined ? [] : [[limit, leftOf(limit, most, used)]];
  });
  return Object.fromEntries(stated);
}

/**
 * The thread of a run, as its manifest and its first events record it. A run that is initialized again keeps what it
 * recorded. Null for a run without a thread.
 */
export function threadOf(
  { manifest, intake }: RunState,
  { thread: limits }: AgentSpec,
  { thread, context }: LoadedContext,
  models: Models,
): { readonly thread: { readonly place: ThreadPlace; readonly history: RunHistory } } | null {
  if (manifest?.thread !== undefined && intake.history !== undefined)
    return { thread: { place: manifest.thread, history: intake.history } };
  if (thread === undefined) return null;
  const { id, runs, used, said, cleared } = thread;
  const place = { id, runs, used, ...(limits === undefined ? {} : { limits }) };
  // Many short messages take more than their words: each is shown with its author and its sources.
  const shown = (context.history ?? []).map(({ by, text: words, sources }) => JSON.stringify({ by, words, sources }));
  const tokens = shown.reduce((sum, text) => sum + models.countTokens(text), 0);
  return { thread: { place, history: { said, cleared, tokens } } };
}
