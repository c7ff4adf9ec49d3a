import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import { address } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { type PolicyDifference, type PolicyJudge, policyDifference } from '../model/policy-decision.ts';
import type { PolicyRequest } from '../model/policy-request.ts';
import { type ReplayEnv, replayRun } from './replay.ts';

/** What a candidate would have ruled otherwise in a run that is on record, each question once, in the order of the run. */
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
  const listening = listeningTo(calls, (request) => {
    asked.set(address(env.hash, request as unknown as Json), request);
  });
  replayRun({ env: { ...env, policy: { version, invariants, calls: listening } }, critic }, frames);
  return [...asked.values()].flatMap((request) => policyDifference(calls, candidate, request) ?? []);
}

/** The same judge, asked in the same way. */
function listeningTo(judge: PolicyJudge, note: (request: PolicyRequest) => void): PolicyJudge {
  const heard =
    <T>(answer: (request: PolicyRequest) => T) =>
    (request: PolicyRequest): T => {
      note(request);
      return answer(request);
    };
  const { version, consider } = judge;
  const decide = heard((request) => judge.decide(request));
  // Called on the judge: an engine of somebody's own may keep what it needs on itself.
  return { version, decide, ...(consider === undefined ? {} : { consider: heard(consider.bind(judge)) }) };
}
