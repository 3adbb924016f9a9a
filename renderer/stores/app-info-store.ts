import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

export type AppInfo = Awaited<ReturnType<typeof api.app.info>>;

/** What the program behind the window says about itself. */
export const useAppInfo = createLoadedStore<AppInfo>(() => api.app.info());
