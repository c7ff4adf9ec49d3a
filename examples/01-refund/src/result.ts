import type { RunOutcome } from 'ambit';
import { releasedLines } from './answer.ts';
import { bad, dim, good, indented, json } from './layout.ts';
import type { Refund } from './ledger.ts';
import { replayed, type Stage } from './stage.ts';

/** Prints how the refund ended, and its answer; with `--json`, both outcomes as one line. */
export async function conclude(stage: Stage, asked: RunOutcome | null, done: RunOutcome): Promise<void> {
  const { options, ledger, runtime, say, title } = stage;
  const refunds = await ledger.refunds();
  const account = await runtime.records.account(done.runId);
  title(done.sentences.length > 0 ? 'The customer gets an answer that says what happened' : 'Result');
  const answer = done.sentences.flatMap((sentence) => releasedLines(sentence.text, sentence));
  say(...answer, ...ending(done), booked(refunds), `summary    ${account}`);
  const frames = await replayed(stage, done);
  if (options.folder !== undefined) say(indented(`The journal is kept in ${options.folder}.`));
  if (options.json) console.log(JSON.stringify({ ...done, refunds, account, replayed: frames, question: asked }));
}

function ending({ status, terminalCode, reason, record }: RunOutcome): readonly string[] {
  const how = terminalCode === 'SUCCESS' ? good(terminalCode) : bad(String(terminalCode));
  const approvers =
    record?.approvals.flatMap(({ decision, approver }) => (decision === 'approve' ? [approver] : [])) ?? [];
  return [
    `ended      ${how} (${reason}), session ${status}`,
    `record     decision ${record?.decision_id}, evidence ${record?.evidence_refs.join(', ') || 'none'}, approved by ${approvers.join(', ') || 'no one'}`,
  ];
}

function booked(refunds: readonly Refund[]): string {
  const list = refunds.map(json).join(', ');
  const count = refunds.length === 1 ? good('one refund') : `${refunds.length} refunds`;
  return `ledger     ${count}${list === '' ? '' : ` ${dim(list)}`}`;
}
