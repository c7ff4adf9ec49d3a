import { reasonOf } from '../model/printable.ts';
import { type Intended, type KillSwitches, killSwitchOn, stops } from '../ports/kill-switches.ts';

/** Who has stopped calls of this kind, in words, or null. A store that cannot say has not said that nobody did. */
export async function stoppedBy(
  switches: Pick<KillSwitches, 'killSwitches'>,
  who: Omit<Intended, 'tool'>,
  tools: readonly string[],
): Promise<string | null> {
  try {
    const thrown = (await switches.killSwitches()).find((one) => tools.some((tool) => stops(one, { ...who, tool })));
    return thrown === undefined ? null : killSwitchOn(thrown).message;
  } catch (error) {
    return `whether it was stopped could not be asked: ${reasonOf(error)}`;
  }
}
