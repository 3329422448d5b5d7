"""Template tags of the UI components. All are built in, so templates don't need {% load %}.

A template with unknown parameters doesn't compile. Unknown tones and outcomes raise ValueError.
Inline components: tones are neutral accent good warn bad info; icons are Lucide names.
    {% icon "check" size=16 %}                        decoration only: put text next to it
    {% badge "Waiting" tone="warn" icon="clock" %}    by default with the icon of the tone
    {% outcome "pass" text="" %}                      keys of OUTCOMES in inline.py
    {% tally counts %}                                {"pass": 14, "warn": 1} for a narrow cell
    {% button "Request review" tone="primary" icon="" name="" value="" form="" formaction=""
       disabled="" small=False novalidate=False hx_post="" %}
       tones primary secondary quiet danger; disabled is the reason as a sentence, which is shown next to it
    {% link_button "View instructions" href=url tone="secondary" icon="" small=False external=False disabled=""
       about="" %}  {% link "Log" href=url about="" external=False %}  {% option "Nomad" hint="…" %}
    {% person user mail=True role="" %}               anything with .name and .email; None is the portal
    {% email_address "ann@acme.example" %}            wraps before the domain, not within a word
    {% term "tier" text="" %}                         link to the glossary with the definition as a tooltip
    {% when moment form="exact" now=None %}  exact: Tue, Apr 14, 2:10 PM · relative: 12 min ago · age: 12 min · both
    {% due due_at now=None %}                         due in 3 h, with the exact time as a tooltip
    {{ byte_count|file_size }}  {% code "v1.4.2" copy=False %}  {% code_block text label="Provider block" %}
    {% meter segments label="36 h of 48 h" total=48 %}   segments: [("counted", 36), ("paused", 6)]; also left, over
Navigation and lists:
    {% crumbs "Queue" queue_url "acme/rocket" %}      alternating labels and URLs; the last label is this page
    {% path steps label="Program steps" %}            steps with name, state (done current next ended) and optional href
    {% tabs label="Reviews" %}{% tab "Mine" href="?mine" current=True count=3 %}{% endtabs %}
    {% queue_rows rows now=now %}                     rows of the review queue
    {% clock_rows rows now=now has_partner_names=False %}  {% countdown rows now=now heading="" %}   SLA clocks
    {% company_rows rows %}  {% identity_table rows earlier=integrations %}   the pages of program staff
    {% integration_table rows heading="Supported" has_partner_names=False %}   integrations with their next actions
    {% pagination page param="page" %}                links to other pages, which keep the query
Blocks, each closed with {% end… %}:
    {% next_action text="Sign the release." mine=True since=None expected=None label="" at_rest=False %}
       button{% endnext_action %}
    {% panel heading="" aside="" actions="" id="" flush=False %}   actions: {% link_button … as x %} then actions=x
    {% card heading="Nomad" href="" aside="" level=3 %}  put several in <div class="cards">
    {% table caption="Integrations" show_caption=False %}{% table_head "Name" "Open" numbers="2" %}
       <tbody>…</tbody>{% endtable %}
       on phones, td.main and td.end form the first line and other cells the second; td.wide-only is hidden
    {% timeline label="History" %}{% entry what="Rita asked for two changes" at=moment who="" icon="" tone="neutral"
       private=False id="" %}text{% endentry %}{% endtimeline %}
    {% evidence summary="Inspected files" open=False %}   collapsible details
    {% empty_state heading="No integrations yet" icon="inbox" action="" level=2 %}explanation{% endempty_state %}
    {% banner tone="good" heading="" live=False %}    tones good warn bad info
    {% facts %}{% fact "Repository" %}…{% endfact %}{% endfacts %}   an empty fact is shown as "Not available"
    <ul class="requirements">{% requirement state="open" title="Support contacts" who="" href="" reason=""
       inline=False id="" %}content{% endrequirement %}</ul>   states are those of {% outcome %}
    <div class="split"><nav class="split-index" aria-label="Requirements"><h2>Prepare</h2><ul>
       {% index_entry state="pass" title="License" href="#license" %}{% badge "Changed" %}{% endindex_entry %}
       </ul></nav><div class="split-main">…</div><div class="split-side">…</div></div>   three panes, or one on phones
    {% check_result outcome="fail" title="Signature" summary="…" advice="" revision="v1.4.2, commit 9f3c1e"
       at=None next_try=None action="" help="" id="" level=3 swap=False %}evidence{% endcheck_result %}
       put several in <div class="checks">; an object can give outcome, title, summary, and advice
    {% decision label="Approve" id="approve" heading="" tone="primary" icon="" is_open=False %}form{% enddecision %}
       a dialog with JavaScript, otherwise collapsible details
    {% deletion label="Delete view" what=view.name id="delete-1" action=url name="" value="" icon="" cancel=url
       is_open=False %}what follows, and fields{% enddeletion %}   names the object; without an ID, a form of a page
    {% mail_preview to="…" subject="…" wait="10 minutes" %}exact text{% endmail_preview %}
    {% form_footer label="Save" tone="primary" icon="" saved_at=None draft=False cancel=url disabled="" name=""
       value="" %}further buttons{% endform_footer %}   <form data-autosave="URL"> keeps "saved 12 s ago"
    {% review_item item href="#" checks="" can_act=False identity=False finding_url="" %}evidence{% endreview_item %}
    {% filter_fold form swap=False %}                 folds the fields of a form.filters on phones, as its first element
    {% live id="deliveries" url=poll_url every="2s" css_class="" announced=False %}…{% endlive %}
       asks for itself while it has a URL, and is replaced only if it changed
    {% live_part id="status-github" element="li" swap=is_update %}…{% endlive_part %}
       is replaced with another part's response, also only if it changed
    {% navigation_links frame.menu %}                 list of links to pages
{% include_jinja "reviews/review_index.html" %}        a Jinja2 template with the values of the page
Page frame: {% document_links %}, {% frame_top frame csrf_token %}, {% theme_form frame csrf_token %},
    {% product_mark %}
Head of a page: {% page_title %}…{% endpage_title %}, {% page_description %}…{% endpage_description %};
    on <html>: {% script_messages %}
Forms: {{ form }} or {{ form.field.as_field_group }}, which render labels and errors.
Classes without a tag: muted, mono, visually-hidden, stack, row, cards, requirements, checks, columns, prose.
"""

from portal.ui import glossary, markdown, script_messages  # noqa: F401 - the import registers their tags
from portal.ui.components import (  # noqa: F401
    blocks,
    deletion,
    filters,
    frame,
    head,
    includes,
    inline,
    lists,
    live,
    moments,
)
from portal.ui.components.markup import register  # noqa: F401
