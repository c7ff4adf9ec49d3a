import type { RunOutcome } from '../../index.ts';
import type { AboutRun } from './about-run.ts';

/** What somebody types next, where a run waits for them. Empty for a run that needs nobody. */
export function nextSteps(outcome: RunOutcome, { origin, driver }: AboutRun): readonly string[] {
  const { runId, status, pending, question, inquiries, handoverHash, terminalCode } = outcome;
  // What came from elsewhere waits for people there.
  if (terminalCode !== null || origin.imported !== null) return [];
  if (driver !== null) return [`ambit sessions watch ${runId}`];
  const asked = new Set(inquiries.map(({ gateId }) => gateId));
  const gates = pending.map(({ gateId, packetHash }) =>
    asked.has(gateId)
      ? `ambit gates answer ${gateId} --packet ${packetHash} --text "…" --as <name>`
      : `ambit gates show ${gateId}`,
  );
  if (gates.length > 0) return gates;
  if (question !== null) {
    const fields = question.fields.map((field) => `--answer ${field}=…`);
    return [
      `ambit sessions answer ${runId} ${(fields.length > 0 ? fields : ['--answer intent=…']).join(' ')} --as <name>`,
    ];
  }
  if (handoverHash !== null) {
    return [`ambit sessions show ${runId}`, ...more(outcome), decideAbout(runId, handoverHash)];
  }
  return [status === 'paused' ? `ambit sessions resume ${runId} --as <name>` : `ambit sessions resume ${runId}`];
}

/** A run that has used up what it had can be given more. */
const more = ({ runId, handoverHash, suspended }: RunOutcome): readonly string[] =>
  suspended?.code === 'BUDGET_EXHAUSTED'
    ? [`ambit sessions extend ${runId} --add tool_calls=… --packet ${handoverHash} --reason "…" --as <name>`]
    : [];

const decideAbout = (runId: string, packetHash: string): string =>
  `ambit sessions decide ${runId} continue|finalize|terminate --packet ${packetHash} --reason "…" --as <name>`;
