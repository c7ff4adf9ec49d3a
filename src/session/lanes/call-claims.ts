import { type CallName, isOutIn } from '../../kernel/lanes/doubted.ts';
import type { RunState } from '../../kernel/state.ts';

interface Claim {
  readonly runId: string;
  readonly call: string;
  /** What the run had heard when it asked: once it has heard more, its own state says whether it made the call. */
  readonly seq: number;
}

/** Who is about to make which call, between being let and having written it down. */
export interface CallClaims {
  /** The relative that has the call out, or is about to. */
  taken(all: readonly RunState[], relatives: readonly RunState[], call: CallName): string | null;
  /** Takes it for a lane. Always null: nobody else has it. */
  take(all: readonly RunState[], lane: RunState, root: string, call: CallName): null;
}

export function callClaims(): CallClaims {
  const claims = new Map<string, Claim>();
  return {
    taken: (all, relatives, call) => {
      const out = relatives.find((run) => isOutIn(run, call));
      if (out !== undefined) return out.id.runId;
      for (const [name, claim] of claims) {
        const claimant = all.find(({ id }) => id.runId === claim.runId);
        if (claimant?.seq !== claim.seq) claims.delete(name);
        else if (relatives.includes(claimant) && claim.call === nameOf(call)) return claim.runId;
      }
      return null;
    },
    take: (all, lane, root, call) => {
      const { runId } = lane.id;
      const seq = all.find(({ id }) => id.runId === runId)?.seq ?? 0;
      claims.set(`${root}\n${runId}\n${nameOf(call)}`, { runId, seq, call: nameOf(call) });
      return null;
    },
  };
}

const nameOf = ({ tool, args_hash }: CallName): string => `${tool} ${args_hash}`;
