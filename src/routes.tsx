import { createBrowserRouter, Navigate } from 'react-router';
import { loadPart } from './api/parts.ts';
import { ErrorPage, NotFoundPage } from './pages/error-page.tsx';
import { Layout } from './pages/layout.tsx';
import { paths } from './paths.ts';
import { prefetchItem, prefetchLibrary, prefetchWorkspace } from './prefetch.ts';
import { FirstLoad } from './ui/first-load.tsx';

/** Every page of the dashboard, each loaded when it is first opened. */
export const router = createBrowserRouter([
  {
    path: paths.signIn,
    HydrateFallback: FirstLoad,
    errorElement: <ErrorPage />,
    lazy: async () => ({ Component: (await loadPart(() => import('./pages/sign-in-page.tsx'))).SignInPage }),
  },
  {
    path: paths.join,
    HydrateFallback: FirstLoad,
    errorElement: <ErrorPage />,
    lazy: async () => ({ Component: (await loadPart(() => import('./pages/join-page.tsx'))).JoinPage }),
  },
  {
    element: <Layout />,
    HydrateFallback: FirstLoad,
    errorElement: <ErrorPage />,
    children: [
      {
        // Inside the layout, so that the menu and the uploads stay when a page breaks or cannot be loaded.
        errorElement: <ErrorPage />,
        children: [
          {
            path: paths.library,
            loader: prefetchLibrary,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/library-page.tsx'))).LibraryPage }),
          },
          {
            path: paths.collections,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/collections-page.tsx'))).CollectionsPage,
            }),
          },
          {
            path: paths.collection(':collection'),
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/library-page.tsx'))).LibraryPage }),
          },
          {
            path: paths.media(':id'),
            loader: prefetchItem,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/media-page.tsx'))).MediaPage }),
          },
          {
            path: paths.search,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/search-page.tsx'))).SearchPage }),
          },
          {
            path: paths.videoSearch,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/video-search-page.tsx'))).VideoSearchPage,
            }),
          },
          {
            path: paths.savedSearches,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/saved-searches-page.tsx'))).SavedSearchesPage,
            }),
          },
          {
            path: paths.highlights,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/highlights-page.tsx'))).HighlightsPage,
            }),
          },
          {
            path: paths.map,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/map-page.tsx'))).MapPage }),
          },
          {
            path: paths.workspace,
            loader: prefetchWorkspace,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/workspace-page.tsx'))).WorkspacePage,
            }),
          },
          {
            path: paths.duplicates,
            lazy: async () => ({
              Component: (await loadPart(() => import('./pages/duplicates-page.tsx'))).DuplicatesPage,
            }),
          },
          {
            path: paths.trash,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/trash-page.tsx'))).TrashPage }),
          },
          {
            path: `${paths.settings()}/:section?`,
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/settings-page.tsx'))).SettingsPage }),
          },
          { path: paths.sources, element: <Navigate to={paths.settings('sources')} replace /> },
          {
            path: paths.source(':id'),
            lazy: async () => ({ Component: (await loadPart(() => import('./pages/source-page.tsx'))).SourcePage }),
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
