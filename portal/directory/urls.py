"""URLs of the directory app."""

from django.urls import path

from portal.directory import feeds, sitemaps
from portal.directory.badges.views import badges, verification
from portal.directory.views import installation, listings

app_name = "directory"
urlpatterns = [
    path("integrations/<uuid:uuid>/install/", installation.show_installation, name="installation"),
    path("integrations/<uuid:uuid>/listing-preview/", listings.show_preview, name="preview"),
    path("integrations/<uuid:uuid>/listing-preview/logo/", listings.show_preview_logo, name="preview_logo"),
    path("directory/", listings.show_directory, name="list"),
    path("directory/<uuid:uuid>/", listings.show_listing, name="listing"),
    path("directory/<uuid:uuid>/logo/", listings.show_logo, name="logo"),
    path("directory/<uuid:uuid>/reply/", listings.edit_reply, name="reply"),
    path("partners/<slug:slug>/", listings.show_partner, name="partner"),
    path("run-tasks/", listings.show_run_tasks, name="run_tasks"),
    path("feeds/directory.atom", feeds.show_feed, {"render": feeds.render_atom}, name="feed_atom"),
    path("feeds/directory.json", feeds.show_feed, {"render": feeds.render_json}, name="feed_json"),
    path("sitemap.xml", sitemaps.show_sitemap, name="sitemap"),
    path("sitemap-<slug:section>.xml", sitemaps.show_sitemap, name="sitemap_part"),
    path("robots.txt", sitemaps.show_robots_txt, name="robots"),
    *(
        path(f"directory/<uuid:uuid>/{file}", badges.show_badge_file, {"content_type": kind, "build": build}, name=name)
        for file, name, kind, build in badges.BADGE_FILES
    ),
    path(".well-known/badge-keys.json", badges.show_keys, name="badge_keys"),
    path(".well-known/badge-keys/<str:kid>.pem", badges.show_key, name="badge_key"),
    path("verify/", verification.verify_badge, name="verify_badge"),
    path("directory/<uuid:uuid>/badge/", verification.show_badge, name="badge"),
]
