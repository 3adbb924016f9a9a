import type { SkillActions } from '../../shared/action/manifest.ts';
import { api } from '../api/client.ts';
import { createLoadedStore } from './list-store.ts';

/** The action manifests of the application and of every skill that has one. */
export const useActions = createLoadedStore<SkillActions[]>(() => api.actions.list());
