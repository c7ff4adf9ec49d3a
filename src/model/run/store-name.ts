import { Fault } from '../fault/fault.ts';
import { guardInput } from '../fault/guard-input.ts';

/** The writer of a store file: the appending thread itself, or a separate thread. */
export type StoreWriter = 'inline' | 'thread';

/** The location of the runs, as parsed from `store`. */
export type StorePlace =
  | { readonly kind: 'memory' }
  | {
      readonly kind: 'sqlite';
      readonly file: string;
      readonly writer: StoreWriter;
      readonly anchorKey?: string;
      /** Whether runs without signed frames send no calls. */
      readonly signedFrames?: true;
    };

const SQLITE = 'sqlite:';
const THREAD = 'writer=thread';
const ANCHOR_KEY = 'anchor_key=';
const SIGNED = 'frames=signed';

/**
 * Parses a store name. The part after a question mark is not part of the file name: it names the writer and the key file
 * that signs frames and permission records, as in `sqlite:ambit.db?writer=thread&anchor_key=store.key.json`. With
 * `frames=signed`, runs whose frames this key did not sign send no calls.
 */
export const parseStore: (store: string) => StorePlace = guardInput('parseStore', (store: string): StorePlace => {
  if (store === 'memory') return { kind: 'memory' };
  const [file = '', ...rest] = store.startsWith(SQLITE) ? store.slice(SQLITE.length).split('?') : [];
  const settings = rest.length === 0 ? [] : rest.join('?').split('&');
  const anchorKey = settings.find((setting) => setting.startsWith(ANCHOR_KEY))?.slice(ANCHOR_KEY.length);
  const known = [THREAD, SIGNED, `${ANCHOR_KEY}${anchorKey}`];
  const isUnknown = settings.some((setting, place) => !known.includes(setting) || settings.indexOf(setting) !== place);
  const signedFrames = settings.includes(SIGNED);
  if (file === '' || anchorKey === '' || isUnknown) {
    const forms = `"memory", "${SQLITE}<file>" or "${SQLITE}<file>?${THREAD}&${ANCHOR_KEY}<key file>"`;
    throw new Fault('input_invalid', `store "${store}": use ${forms}`, { path: '/store' });
  }
  if (signedFrames && anchorKey === undefined) {
    const message = `store "${store}": ${SIGNED} needs the key that signs them: add ${ANCHOR_KEY}<key file>`;
    throw new Fault('input_invalid', message, { path: '/store' });
  }
  const writer = settings.includes(THREAD) ? 'thread' : 'inline';
  return {
    kind: 'sqlite',
    file,
    writer,
    ...(anchorKey === undefined ? {} : { anchorKey }),
    ...(signedFrames ? { signedFrames } : {}),
  };
});
