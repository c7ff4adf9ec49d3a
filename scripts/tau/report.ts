import { isDecided } from './operator.ts';
import type { PerformedTask } from './perform-tasks.ts';

/** The last line of `--json`. */
export interface Report {
  readonly tasks: number;
  readonly right: number;
  readonly writes: number;
  readonly duplicated: number;
  readonly lost: number;
  readonly escalated: number;
  readonly kills: number;
}

const sum = (done: readonly PerformedTask[], count: (one: PerformedTask) => number): number =>
  done.reduce((total, one) => total + count(one), 0);

/** A task counts as right if its world was right after every execution. */
export function reportOf(done: readonly PerformedTask[]): Report {
  const tasks = new Set(done.map(nameOf));
  const wrong = new Set(done.filter(({ right }) => !right).map(nameOf));
  return {
    tasks: tasks.size,
    right: tasks.size - wrong.size,
    writes: sum(done, ({ writes }) => writes),
    duplicated: sum(done, ({ duplicated }) => duplicated),
    lost: sum(done, ({ lost }) => lost),
    escalated: sum(done, ({ escalations }) => escalations.length),
    kills: sum(done, ({ kills }) => kills),
  };
}

const nameOf = ({ job }: PerformedTask): string => `${job.suite} ${job.task}`;

/** Good endings of the last run of a task: everything done, or everything except failed calls. */
const GOOD_ENDINGS: readonly string[] = ['SUCCESS', 'PARTIAL_SUCCESS'];

/** All problems, one line each. */
export function problemsIn(done: readonly PerformedTask[]): readonly string[] {
  return done.flatMap((one) => {
    const { right, duplicated, lost, repeats, escalations, doubts, endings, unlike } = one;
    const strange = escalations.filter((reason) => !isDecided(reason));
    const [doubted, repeated] = [countOf(one, 'call_in_doubt'), countOf(one, 'duplicate_action')];
    const problems = [
      ...(right ? [] : ['the world differs from the recorded one']),
      ...(duplicated === 0 ? [] : [`${duplicated} writes duplicated`]),
      ...(lost === 0 ? [] : [`${lost} writes lost`]),
      ...(GOOD_ENDINGS.includes(endings.at(-1) ?? '') ? [] : [`ended with ${endings.join(', ')}`]),
      ...(strange.length === 0 ? [] : [`escalated for ${strange.join(', ')}`]),
      ...(doubted <= doubts ? [] : [`escalated ${doubted} times, with ${doubts} calls in doubt`]),
      ...(repeated <= repeats ? [] : [`escalated ${repeated} times as equal, with ${repeats} equal changes`]),
      ...(unlike === null ? [] : [`does not replay: ${unlike}`]),
    ];
    return problems.map((problem) => `${one.job.task} (${one.job.realm}, ${one.kills} kills): ${problem}`);
  });
}

const countOf = ({ escalations }: PerformedTask, reason: string): number =>
  escalations.filter((each) => each === reason).length;

export function summaryOf(done: readonly PerformedTask[], seconds: number): readonly string[] {
  const { tasks, right, writes, duplicated, lost, kills } = reportOf(done);
  const doubts = sum(done, (one) => one.doubts);
  const times = done.length === tasks ? 'once each' : `${done.length} times in total`;
  return [
    `${tasks} tasks, performed ${times}: ${right} with the recorded end state`,
    `${writes} writes: ${duplicated} duplicated, ${lost} lost`,
    `${kills} kills: ${doubts} calls in doubt, ${sum(done, (one) => countOf(one, 'call_in_doubt'))} of them decided by a person`,
    `${sum(done, (one) => one.repeats)} equal changes, ${sum(done, (one) => countOf(one, 'duplicate_action'))} of them confirmed by a person`,
    `${seconds.toFixed(1)} s`,
  ];
}
