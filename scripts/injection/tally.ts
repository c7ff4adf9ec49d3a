import { type Played, playPair, playTask } from './play.ts';
import { isGated, mislabelling, POLICIES, type Policy } from './policies.ts';
import { openSuiteRunner } from './suite-runner.ts';
import type { Pair, Suite, UserTask } from './suites.ts';

/** The counts of a policy over a number of tasks and attacks. */
export interface Tally {
  readonly tasks: number;
  readonly approvals: number;
  readonly granted: number;
  readonly right: number;
  readonly pairs: number;
  /** Attacks with at least one effect. */
  readonly succeeded: number;
  /** Effects of attacks that no person approved. */
  readonly unapproved: number;
  /** Injected calls that reached a tool, including read-only ones, and injected calls that were rejected. */
  readonly injected: number;
  readonly blocked: number;
  readonly rightAttacked: number;
  readonly approvalsAttacked: number;
}

export const NOTHING: Tally = {
  tasks: 0,
  approvals: 0,
  granted: 0,
  right: 0,
  pairs: 0,
  succeeded: 0,
  unapproved: 0,
  injected: 0,
  blocked: 0,
  rightAttacked: 0,
  approvalsAttacked: 0,
};

export function add(a: Tally, b: Tally): Tally {
  const sums = Object.entries(a).map(([key, count]) => [key, count + b[key as keyof Tally]]);
  return Object.fromEntries(sums) as unknown as Tally;
}

export interface SuiteTallies {
  readonly suite: string;
  readonly policies: Readonly<Record<keyof typeof POLICIES, Tally>>;
  /** One tally per gated tool, with that tool declared as read-only. */
  readonly mislabelled: readonly { readonly tool: string; readonly tally: Tally }[];
}

/** Plays a suite under every policy. `seen` is called after each policy. */
export async function tallySuite(suite: Suite, seen: (policy: string) => void): Promise<SuiteTallies> {
  const policies = new Map<string, Tally>();
  const bounded = await playAll(suite, POLICIES.ambit);
  for (const [name, policy] of Object.entries(POLICIES)) {
    policies.set(name, policy === POLICIES.ambit ? tallyOf(bounded) : await tallyPolicy(suite, policy));
    seen(name);
  }
  const mislabelled: { readonly tool: string; readonly tally: Tally }[] = [];
  for (const { name } of suite.tools.filter(isGated)) {
    mislabelled.push({ tool: name, tally: tallyOf(await playAll(suite, mislabelling(name), { tool: name, bounded })) });
    seen(`mislabelled_tool ${name}`);
  }
  return {
    suite: suite.name,
    policies: Object.fromEntries(policies) as SuiteTallies['policies'],
    mislabelled,
  };
}

/** Plays a suite under one policy. */
export async function tallyPolicy(suite: Suite, policy: Policy): Promise<Tally> {
  return tallyOf(await playAll(suite, policy));
}

interface Plays {
  readonly tasks: ReadonlyMap<UserTask, Played>;
  readonly pairs: ReadonlyMap<Pair, Played>;
}

/** Plays all tasks and attacks. If only one tool is declared differently, results that do not call it are reused. */
async function playAll(
  suite: Suite,
  policy: Policy,
  known?: { readonly tool: string; readonly bounded: Plays },
): Promise<Plays> {
  const context = { suite, policy, stage: openSuiteRunner(suite, policy) };
  const calls = ({ calls: made }: Pick<UserTask, 'calls'>): boolean =>
    made.some((call) => call.function === known?.tool);
  const tasks = new Map<UserTask, Played>();
  for (const task of suite.tasks) {
    const before = calls(task) ? undefined : known?.bounded.tasks.get(task);
    tasks.set(task, before ?? (await playTask(context, task)));
  }
  const pairs = new Map<Pair, Played>();
  for (const pair of suite.pairs) {
    const before = calls(pair.user) || calls(pair.injection) ? undefined : known?.bounded.pairs.get(pair);
    pairs.set(pair, before ?? (await playPair(context, pair)));
  }
  return { tasks, pairs };
}

function tallyOf({ tasks, pairs }: Plays): Tally {
  const [benign, attacked] = [[...tasks.values()], [...pairs.values()]];
  const sum = (plays: readonly Played[], count: (play: Played) => number): number =>
    plays.reduce((total, play) => total + count(play), 0);
  return {
    tasks: benign.length,
    approvals: sum(benign, ({ approvals }) => approvals),
    granted: sum(benign, ({ granted }) => granted),
    right: sum(benign, ({ right }) => Number(right)),
    pairs: attacked.length,
    succeeded: sum(attacked, ({ effects }) => Number(effects > 0)),
    unapproved: sum(attacked, ({ unapproved }) => unapproved),
    injected: sum(attacked, ({ injected }) => injected),
    blocked: sum(attacked, ({ blocked }) => blocked),
    rightAttacked: sum(attacked, ({ right }) => Number(right)),
    approvalsAttacked: sum(attacked, ({ approvals }) => approvals),
  };
}

/** The tally of the mislabelled tool that lets most attacks through; that of `ambit` if no tool has a gate. */
export function worstOf({ mislabelled, policies }: SuiteTallies): Tally {
  return mislabelled
    .map(({ tally }) => tally)
    .reduce((worst, tally) => (tally.succeeded > worst.succeeded ? tally : worst), policies.ambit);
}
