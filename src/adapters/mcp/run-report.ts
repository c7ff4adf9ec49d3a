import { z } from 'zod';
import type { BoundedWork, WorkOutcome } from './bounded-work.ts';

/** The structured content of every answer about a run. A run that waits for a person is an answer, not an error. */
export interface RunReport {
  readonly run_id: string;
  readonly status: WorkOutcome['status'];
  readonly terminal_code: string | null;
  readonly reason: string | null;
  readonly answer: string | null;
  readonly authority: string | null;
  readonly pending: readonly {
    readonly gate_id: string;
    readonly name: string;
    readonly step_id: string | null;
    readonly packet_hash: string;
    readonly expires_at: string;
    readonly packet: Readonly<Record<string, unknown>>;
  }[];
  readonly question: {
    readonly question_id: string;
    readonly fields: readonly string[];
    readonly readings: readonly string[];
  } | null;
}

const Gate = z.object({
  gate_id: z.string(),
  name: z.string(),
  step_id: z.string().nullable(),
  packet_hash: z.string().describe('What an approval has to name: it fits this packet and no other'),
  expires_at: z.iso.datetime(),
  packet: z.record(z.string(), z.unknown()).describe('What a person is asked to approve, word for word'),
});

export const RunReport: z.ZodType<RunReport> = z.object({
  run_id: z.string(),
  status: z.enum(['in_progress', 'awaiting_gate', 'paused', 'completed', 'failed', 'expired', 'rejected', 'cancelled']),
  terminal_code: z.string().nullable(),
  reason: z.string().nullable(),
  answer: z.string().nullable(),
  authority: z.string().nullable().describe('Who decides about a run that was handed over'),
  pending: z.array(Gate).describe('The gates at which the run waits for a person'),
  question: z
    .object({ question_id: z.string(), fields: z.array(z.string()), readings: z.array(z.string()) })
    .nullable(),
});

export async function reportOf(work: Pick<BoundedWork, 'packet'>, outcome: WorkOutcome): Promise<RunReport> {
  const { runId, status, terminalCode, reason, answer, authority, question } = outcome;
  const pending = outcome.pending.map(async ({ gateId, name, stepId, packetHash, expiresAt }) => ({
    gate_id: gateId,
    name,
    step_id: stepId,
    packet_hash: packetHash,
    expires_at: new Date(expiresAt).toISOString(),
    packet: await work.packet(packetHash),
  }));
  return {
    run_id: runId,
    status,
    terminal_code: terminalCode,
    reason,
    answer,
    authority,
    pending: await Promise.all(pending),
    question:
      question === null
        ? null
        : { question_id: question.questionId, fields: question.fields, readings: question.readings },
  };
}
