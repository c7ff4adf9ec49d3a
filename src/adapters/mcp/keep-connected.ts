import { serverGone } from './failure.ts';
import type { Link } from './link.ts';

/** The policy for a lost server: never reconnect, or reconnect for the next call. */
export type Reconnect = 'never' | 'next_call';

export interface KeptConnection {
  /** Returns the current link, or a new one if the policy allows it. Concurrent callers share the new link. */
  live(): Promise<Link>;
  close(): Promise<void>;
}

/** Keeps a server connected. Calls in flight when the server is lost fail; nothing is sent a second time. */
export async function keepConnected(
  server: string,
  open: () => Promise<Link>,
  reconnect: Reconnect,
): Promise<KeptConnection> {
  let link = await open();
  let opening: Promise<Link> | null = null;
  let isClosed = false;
  return {
    live: async () => {
      if (isClosed) throw serverGone(server, 'it was closed here');
      const gone = link.gone();
      if (gone === null) return link;
      if (reconnect === 'never') throw serverGone(server, gone);
      opening ??= open().finally(() => {
        opening = null;
      });
      link = await opening;
      return link;
    },
    close: async () => {
      isClosed = true;
      await link.close();
    },
  };
}
