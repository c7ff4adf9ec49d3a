import type { KernelEnv } from '../../kernel/env.ts';
import type { Json } from '../../model/json.ts';
import type { LaneEnvelope } from '../../model/lane.ts';
import { storedAt } from '../../model/stored-answer.ts';

/**
 * What a lane observed and could not put into the journal does not travel: only its address would arrive, which is not
 * what the schema of the call asks for. Whoever plans is told that, and what helps, and not which field is missing.
 */
export function tooLargeToTravel({ tools }: KernelEnv, tool: string, envelope: LaneEnvelope): LaneEnvelope {
  const { results, status } = envelope;
  const stored = results.find(({ value }) => storedAt(value) !== null);
  if (stored === undefined || status !== 'completed') return envelope;
  const arrived: Json =
    tools.get(tool)?.lane === undefined
      ? stored.value
      : Object.fromEntries(results.map(({ key, value }) => [key, value]));
  if (tools.checkOutput(tool, arrived).length === 0) return envelope;
  const reason = `the answer under ${stored.key} is too large to come back from a lane: have the step wait for another (depends_on), so that it has its turn alone, or answer with less`;
  return { ...envelope, status: 'failed', terminal_code: 'VALIDATION_FAIL', reason, results: [] };
}
