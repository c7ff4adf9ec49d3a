import type { EventBody } from '../model/event.ts';
import type { MemoryProposal } from '../model/memory.ts';

/** What a run leaves behind that might be worth remembering. Nominations only: nothing is written here. */
export function proposeMemory(runId: string, evidenceByType: Readonly<Record<string, string>>): EventBody {
  const proposals = Object.entries(evidenceByType)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([type, evidence], place): MemoryProposal => ({
        proposal_id: `${runId}_memory_${place + 1}`,
        run_id: runId,
        key: type,
        value: { evidence },
        effect_refs: [],
        evidence_refs: [evidence],
        expires_at: null,
      }),
    );
  return { type: 'memory_proposed', proposals };
}
