import type { Frame } from '../model/events/frame.ts';
import { Fault } from '../model/fault/fault.ts';
import { address } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import {
  type PolicyDifference,
  type PolicyJudge,
  type PolicyRuling,
  policyDifference,
} from '../model/policy/policy-decision.ts';
import type { PolicyRequest } from '../model/policy/policy-request.ts';
import { type ReplayEnv, replayRun } from './replay.ts';

/** The requests of a recorded run that a candidate policy decides differently, each once and in order. */
export function shadowRun(
  { env, critic }: ReplayEnv,
  frames: readonly Frame[],
  candidate: PolicyJudge,
): readonly PolicyDifference[] {
  const { candidate: _, ...active } = env.policy;
  const { calls } = active;
  if (calls === undefined)
    throw new Fault(
      'input_invalid',
      'there are no policies about calls to compare with: give world.policy.calls, or look at the run with whatIf({ policy })',
    );
  const asked = new Map<string, PolicyRequest>();
  const reportingJudge = withRequestsReported(calls, (request) => {
    asked.set(address(env.hash, request as unknown as Json), request);
  });
  replayRun({ env: { ...env, policy: { ...active, calls: reportingJudge } }, critic }, frames);
  return [...asked.values()].flatMap((request) => policyDifference(calls, candidate, request) ?? []);
}

/** The same judge, with every request reported to `note`. */
function withRequestsReported(judge: PolicyJudge, note: (request: PolicyRequest) => void): PolicyJudge {
  const decide = (request: PolicyRequest): PolicyRuling => {
    note(request);
    return judge.decide(request);
  };
  return { version: judge.version, decide };
}
