import type { RunOutcome } from '../../index.ts';
import type { RunDetails } from './run-details.ts';

/** Lists the commands that continue a waiting run. Empty for a run that has ended. */
export function listNextCommands(outcome: RunOutcome, { origin, driver }: RunDetails): readonly string[] {
  const { runId, status, pending, question, inquiries, handoverHash, terminalCode } = outcome;
  // An imported run is decided in the store that it came from.
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
    return [`ambit sessions show ${runId}`, ...listExtensions(outcome), ...listDecideCommands(runId, handoverHash)];
  }
  return [status === 'paused' ? `ambit sessions resume ${runId} --as <name>` : `ambit sessions resume ${runId}`];
}

const listExtensions = ({ runId, handoverHash, suspended }: RunOutcome): readonly string[] =>
  suspended?.code === 'BUDGET_EXHAUSTED'
    ? [`ambit sessions extend ${runId} --add tool_calls=… --packet ${handoverHash} --reason "…" --as <name>`]
    : [];

const listDecideCommands = (runId: string, packetHash: string): readonly string[] =>
  ['continue', 'finalize', 'terminate'].map(
    (decision) => `ambit sessions decide ${runId} ${decision} --packet ${packetHash} --reason "…" --as <name>`,
  );
