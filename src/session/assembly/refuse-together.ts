import { Fault } from '../../model/fault.ts';

/** What a check throws, as a value: whoever put an agent together wants to hear of everything at once. */
export function faultsOf(...checks: readonly (() => unknown)[]): readonly Fault[] {
  return checks.flatMap((check) => {
    try {
      check();
      return [];
    } catch (error) {
      if (Fault.is(error)) return [error];
      throw error;
    }
  });
}

/** One fault for all of them, with the code and the place of the first. A single one is thrown as it is. */
export function refuseTogether(faults: readonly Fault[]): void {
  const [first] = faults;
  if (first === undefined) return;
  const messages = faults.flatMap(({ message }) => message.split('\n'));
  if (messages.length === 1) throw first;
  const list = messages.map((message) => `- ${message}`).join('\n');
  const message = `${messages.length} things are wrong with how this agent is put together:\n${list}`;
  throw new Fault(first.code, message, {
    ...(first.path === undefined ? {} : { path: first.path }),
    cause: first,
  });
}
