import type { Frame } from '../model/events/frame.ts';
import { Fault } from '../model/fault/fault.ts';
import { address } from '../model/json/hash.ts';
import type { Json } from '../model/json/json.ts';
import { type PolicyDifference, type PolicyJudge, policyDifference } from '../model/policy/policy-decision.ts';
import type { PolicyRequest } from '../model/policy/policy-request.ts';
import { type ReplayEnv, replayRun } from './replay.ts';

/** The requests of a recorded run that a candidate policy decides differently, each once and in order. */
export function shadowRun(
  { env, critic }: ReplayEnv,
  frames: readonly Frame[],
  candidate: PolicyJudge,
): readonly PolicyDifference[] {
  const { calls, version, invariants } = env.policy;
  if (calls === undefined)
    throw new Fault(
      'input_invalid',
      'there are no policies about calls to compare with: give world.policy.calls, or look at the run with whatIf({ policy })',
    );
  const asked = new Map<string, PolicyRequest>();
  const reportingJudge = withRequestsReported(calls, (request) => {
    asked.set(address(env.hash, request as unknown as Json), request);
  });
  replayRun({ env: { ...env, policy: { version, invariants, calls: reportingJudge } }, critic }, frames);
  return [...asked.values()].flatMap((request) => policyDifference(calls, candidate, request) ?? []);
}

/** The same judge, with every request reported to `note`. */
function withRequestsReported(judge: PolicyJudge, note: (request: PolicyRequest) => void): PolicyJudge {
  const reporting =
    <T>(answer: (request: PolicyRequest) => T) =>
    (request: PolicyRequest): T => {
      note(request);
      return answer(request);
    };
  const { version, consider } = judge;
  const decide = reporting((request) => judge.decide(request));
  // Bound to the judge, because a custom engine may use `this`.
  return { version, decide, ...(consider === undefined ? {} : { consider: reporting(consider.bind(judge)) }) };
}
