import type { Done } from './foreman.ts';

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

const sum = (done: readonly Done[], count: (one: Done) => number): number =>
  done.reduce((total, one) => total + count(one), 0);

/** A task is right if the world was, every time it was done. */
export function reportOf(done: readonly Done[]): Report {
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

const nameOf = ({ job }: Done): string => `${job.suite} ${job.task}`;

/** How a run may end: done, done but for what failed, or by a person who found out what had become of a call. */
const GOOD_ENDINGS: readonly string[] = ['SUCCESS', 'PARTIAL_SUCCESS'];

/** Everything that must not be, one line each. */
export function problemsIn(done: readonly Done[]): readonly string[] {
  return done.flatMap((one) => {
    const { right, duplicated, lost, escalations, doubts, endings, unlike } = one;
    const strange = escalations.filter((reason) => reason !== 'call_in_doubt');
    const problems = [
      ...(right ? [] : ['the world is not as it was recorded']),
      ...(duplicated === 0 ? [] : [`${duplicated} done once too often`]),
      ...(lost === 0 ? [] : [`${lost} not done`]),
      ...(GOOD_ENDINGS.includes(endings.at(-1) ?? '') ? [] : [`ended with ${endings.join(', ')}`]),
      ...(strange.length === 0 ? [] : [`handed over for ${strange.join(', ')}`]),
      ...(escalations.length <= doubts
        ? []
        : [`handed over ${escalations.length} times, with ${doubts} calls in doubt`]),
      ...(unlike === null ? [] : [`does not replay: ${unlike}`]),
    ];
    return problems.map((problem) => `${one.job.task} (${one.job.realm}, ${one.kills} kills): ${problem}`);
  });
}

export function summaryOf(done: readonly Done[], seconds: number): readonly string[] {
  const { tasks, right, writes, duplicated, lost, escalated, kills } = reportOf(done);
  const doubts = sum(done, (one) => one.doubts);
  const times = done.length === tasks ? 'once each' : `${done.length} times in all`;
  return [
    `${tasks} tasks, done ${times}: ${right} in the recorded end state`,
    `${writes} writes: ${duplicated} duplicated, ${lost} lost`,
    `${kills} kills: ${escalated} calls put before a person, of ${doubts} that were in doubt`,
    `${seconds.toFixed(1)} s`,
  ];
}
